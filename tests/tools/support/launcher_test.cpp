// SPDX-License-Identifier: BSD-3-Clause
// Subcommands that are not collective ignore the variables that launchers set. `quadrille run` leaves no process behind, whatever
// ends it.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class LauncherTest : public CommandTest {
 protected:
  Outcome run_among(const Words& environment, const Words& arguments) const {
    Words words{"env"};
    words.insert(words.end(), environment.begin(), environment.end());
    words.emplace_back(QUADRILLE_COMMAND);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(words);
  }

  static const std::vector<Words>& environments() {
    static const std::vector<Words> list{{"PMI_RANK=1"},
                                         {"PMI_RANK=1", "PMI_SIZE=2"},
                                         {"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4"},
                                         {"QUADRILLE_RANK=1", "QUADRILLE_RANKS=2", "QUADRILLE_HEAD=99"},
                                         {"PMI_RANK=x", "PMI_SIZE="}};
    return list;
  }
};

TEST_F(LauncherTest, SubcommandsThatAreNotCollectiveRunInEveryProcess) {
  const std::string document = file("schedule.json").string();
  prints({"schedule", "alltoall", "--ranks", "4", "--algorithm", "bruck", "--format", "json", "--output", document});
  const std::vector<Words> commands{{"--help"},
                                    {"--version"},
                                    {"list", "alltoall"},
                                    {"schedule", "alltoall", "--ranks", "4", "--algorithm", "bruck"},
                                    {"verify", document},
                                    {"draw", "alltoall", "--ranks", "4", "--algorithm", "bruck"},
                                    {"price", "alltoall", "--ranks", "4", "--machine", "sp1"},
                                    {"simulate", "alltoall", "--ranks", "4", "--machine", "sp1"},
                                    {"reproduce", "bruck1997-table1"},
                                    {"run", "-n", "1", "echo", "here"},
                                    {"completion", "bash"}};
  for (const Words& command : commands) {
    const Outcome alone = run(command);
    EXPECT_EQ(alone.exit_code, 0) << command[0] << ": " << alone.talk;
    EXPECT_NE(alone.out, "") << command[0];
    for (const Words& environment : environments()) {
      const Outcome outcome = run_among(environment, command);
      EXPECT_EQ(outcome.exit_code, 0) << command[0] << ' ' << environment[0] << ": " << outcome.talk;
      EXPECT_EQ(outcome.out, alone.out) << command[0] << ' ' << environment[0];
    }
  }
  // Subcommands whose output depends on the machine; it is never empty.
  const std::vector<Words> others{{"info"},
                                  {"race", "alltoall", "--executor", "threads", "--ranks", "2", "--repetitions", "1", "--time",
                                   "0.01s", "--algorithm", "direct"},
                                  {"calibrate", "--executor", "threads", "--ranks", "2", "--time", "0.01s"}};
  for (const Words& command : others)
    for (const Words& environment : environments()) {
      const Outcome outcome = run_among(environment, command);
      EXPECT_EQ(outcome.exit_code, 0) << command[0] << ' ' << environment[0] << ": " << outcome.talk;
      EXPECT_NE(outcome.out, "") << command[0] << ' ' << environment[0];
    }
}

TEST_F(LauncherTest, EveryProcessReportsItsErrors) {
  const std::string missing = file("nowhere").string();
  for (const Words& command :
       {Words{"list", "alltoal"}, Words{"info", "more"}, Words{"schedule", missing}, Words{"verify", missing},
        Words{"draw", missing}, Words{"price", "alltoallv", "--counts", missing, "--machine", "sp1"},
        Words{"simulate", "alltoallv", "--counts", missing, "--machine", "sp1"}, Words{"reproduce", "nothing-of-this-name"},
        Words{"run", "-n", "1", missing}, Words{"completion", "powershell"}, Words{"race", "alltoal", "--executor", "threads"},
        Words{"calibrate", "--executor", "threads", "--output", missing + "/file"}, Words{"--versio"},
        Words{"nothing-of-this-name"}})
    for (const Words& environment : environments()) {
      const Outcome outcome = run_among(environment, command);
      EXPECT_EQ(outcome.exit_code, 2) << command[0] << ' ' << environment[0];
      EXPECT_EQ(outcome.out, "") << command[0] << ' ' << environment[0];
      EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1)
          << command[0] << ' ' << environment[0] << outcome.talk;
      EXPECT_EQ(outcome.talk.rfind("quadrille: ", 0), 0u) << command[0] << ' ' << outcome.talk;
    }
}

// When ranks run a race together, only rank 0 prints an error.
TEST_F(LauncherTest, OnlyTheFirstRankReportsErrorsOfACollectiveSubcommand) {
  for (const Words& command : {Words{"race", "alltoal"}, Words{"race", "alltoall", "--foo"}}) {
    Words words{"run", "-n", "3", QUADRILLE_COMMAND};
    words.insert(words.end(), command.begin(), command.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
  }
}

// Both variables are left over from another launch, so they name a rank that nobody started. The process must say that it cannot
// join.
TEST_F(LauncherTest, AProcessThatCannotJoinReportsIt) {
  const Outcome outcome = run_among({"QUADRILLE_RANK=1", "QUADRILLE_RANKS=2", "QUADRILLE_HEAD=99"}, {"race", "alltoall"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.talk, "");
}

// Fixture for ranks that start a program of their own and wait for it, as scripts do.
class EndOfRunTest : public CommandTest {
 protected:
  void TearDown() override {
    for (const pid_t process : sleepers()) ::kill(process, SIGKILL);
  }

  // The time for which the ranks' programs sleep. It contains this process's number, so `ps` can tell them from all other programs.
  const std::string time_ = fmt::format("77.{}", ::getpid());
  const std::string sleep_ = "sleep " + time_;

  // Returns the contents of /proc/PROCESS/WHAT; empty if the process has ended.
  static std::string about(pid_t process, const std::string& what) {
    try {
      return contents(fmt::format("/proc/{}/{}", process, what));
    } catch (const std::exception&) {
      return {};
    }
  }

  std::vector<pid_t> sleepers() const {
    const std::string wanted = std::string("sleep") + '\0' + time_ + '\0';
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc"))
      if (const std::string name = entry.path().filename(); name.find_first_not_of("0123456789") == std::string::npos)
        if (about(std::stoi(name), "cmdline") == wanted) found.push_back(std::stoi(name));
    return found;
  }

  // Waits until so many of the ranks' programs exist; returns false if that takes too long.
  bool become(std::size_t number, int patience_seconds = 60) const {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(patience_seconds);
    while (sleepers().size() != number) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(10ms);
    }
    return true;
  }

  // Starts `quadrille run -n 2 sh -c SCRIPT` and waits until both ranks sleep.
  pid_t start(const std::string& script) const {
    Words words{QUADRILLE_COMMAND, "run", "-n", "2", "sh", "-c", script};
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, pointers[0], nullptr, &attributes, pointers.data(), environ), 0);
    posix_spawnattr_destroy(&attributes);
    EXPECT_TRUE(become(2));
    return child;
  }

  static int exit_code(pid_t launcher) {
    int status = 0;
    EXPECT_EQ(::waitpid(launcher, &status, 0), launcher);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
};

TEST_F(EndOfRunTest, SignalsEndProgramsThatRanksHaveStarted) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL}) {
    SCOPED_TRACE(::strsignal(signal));
    const pid_t launcher = start(sleep_ + "; true");
    ::kill(launcher, signal);
    EXPECT_EQ(exit_code(launcher), 128 + signal);
    ASSERT_TRUE(become(0));
  }
}

// timeout(1) moves itself and its child into another process group than the ranks'.
TEST_F(EndOfRunTest, SignalsEndRanksInGroupsOfTheirOwn) {
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
    SCOPED_TRACE(::strsignal(signal));
    const pid_t launcher = start("exec timeout 60 " + sleep_);
    ::kill(launcher, signal);
    EXPECT_TRUE(become(0, 20));
    ::kill(launcher, SIGKILL);
    exit_code(launcher);
  }
  const pid_t launcher = start("timeout 60 " + sleep_ + "; true");
  ::kill(launcher, SIGKILL);
  exit_code(launcher);
  EXPECT_TRUE(become(0, 20));
}

// Rank 0 ends the launcher (its parent's parent) while the guard is starting the other ranks.
TEST_F(EndOfRunTest, NoMoreRanksAreStartedWhenTheLauncherIsToEnd) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    SCOPED_TRACE(::strsignal(signal));
    const std::string started = file(fmt::format("started.{}", signal)).string();
    const std::string launcher = "$(awk '/^PPid/ {print $2}' /proc/$PPID/status)";
    const std::string script =
        fmt::format("echo >>{}; [ $QUADRILLE_RANK = 0 ] && kill -{} {}; exec {}", started, signal, launcher, sleep_);
    EXPECT_EQ(run({"run", "-n", "400", "sh", "-c", script}).exit_code, 128 + signal);
    EXPECT_TRUE(become(0));
    EXPECT_LT(contents(started).size(), 200u);
  }
}

// If the guard is killed, the launcher ends the programs that the ranks have started.
TEST_F(EndOfRunTest, KillingTheGuardEndsTheProgramsOfRanks) {
  const pid_t launcher = start(sleep_ + "; true");
  const std::string guards = about(launcher, fmt::format("task/{}/children", launcher));
  const pid_t guard = std::stoi(guards);
  EXPECT_EQ(about(guard, "cmdline").c_str(), std::string("quadrille-guard"));  // up to the first NUL
  ::kill(guard, SIGKILL);
  EXPECT_EQ(exit_code(launcher), 2);
  EXPECT_TRUE(become(0, 20));
}

// The test kills the launcher's whole process group, as `timeout -k` does.
TEST_F(EndOfRunTest, KillingTheLaunchersProcessGroupEndsTheProgramsOfRanks) {
  const pid_t launcher = start(sleep_ + "; true");
  ::kill(-launcher, SIGKILL);
  EXPECT_EQ(exit_code(launcher), 128 + SIGKILL);
  EXPECT_TRUE(become(0));
}

TEST_F(EndOfRunTest, RanksThatIgnoreSignalsAreKilled) {
  const pid_t launcher = start("trap '' INT TERM; " + sleep_ + "; true");
  ::kill(launcher, SIGINT);
  ::kill(launcher, SIGINT);  // a second signal that arrives before the first is handled would be merged with it
  while (::waitpid(launcher, nullptr, WNOHANG) == 0) {
    ::kill(launcher, SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(become(0));
}

// The first failure ends the programs of the other ranks, by SIGTERM and, a second later, by SIGKILL.
TEST_F(EndOfRunTest, AFailureEndsProgramsThatOtherRanksHaveStarted) {
  const std::string failing = file("failing").string();
  for (const std::string trap : {"", "trap '' TERM; "}) {
    ::mkfifo(failing.c_str(), 0600);
    const pid_t launcher =
        start(trap + "[ $QUADRILLE_RANK = 0 ] || { " + sleep_ + "; exit; }; " + sleep_ + " & read x <" + failing + "; kill -9 $$");
    const int told = ::open(failing.c_str(), O_WRONLY);  // both ranks sleep, so rank 0 may fail now
    EXPECT_EQ(::write(told, "x\n", 2), 2);
    ::close(told);
    EXPECT_EQ(exit_code(launcher), 128 + SIGKILL);
    EXPECT_TRUE(become(0));
    ::unlink(failing.c_str());
  }
}

// Ctrl-Z stops the ranks, `fg` continues them, and a stopped job can be killed.
TEST_F(EndOfRunTest, SuspendingReachesTheRanks) {
  const auto state = [](pid_t process) {
    const std::string line = about(process, "stat");
    const std::size_t end = line.rfind(')');
    return end == std::string::npos ? '?' : line[end + 2];
  };
  const auto all_become = [&](bool stopped) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (;;) {
      const auto processes = sleepers();
      if (std::all_of(processes.begin(), processes.end(), [&](pid_t process) { return (state(process) == 'T') == stopped; }))
        return true;
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  const pid_t launcher = start(sleep_ + "; true");
  ::kill(launcher, SIGTSTP);
  int status = 0;
  ASSERT_EQ(::waitpid(launcher, &status, WUNTRACED), launcher);
  EXPECT_TRUE(WIFSTOPPED(status));
  EXPECT_TRUE(all_become(true));
  ::kill(launcher, SIGCONT);
  EXPECT_TRUE(all_become(false));
  ::kill(launcher, SIGTSTP);
  ASSERT_EQ(::waitpid(launcher, &status, WUNTRACED), launcher);
  EXPECT_TRUE(all_become(true));
  ::kill(launcher, SIGKILL);
  exit_code(launcher);
  EXPECT_TRUE(become(0));
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// A process beside a program. The test is the launcher, and its child is the program.
#include "watch/wrapped_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/pipes.hpp"

namespace quadrille::command {
namespace {

using testing::receive;
using testing::send;

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    reader = Descriptor(ends[0]), writer = Descriptor(ends[1]);
  }
  Descriptor reader, writer;
};

bool is_readable(int descriptor, int milliseconds) {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, milliseconds) == 1;
}

// Whether all writers of a pipe have closed it, within some time.
bool ends(const Pipe& pipe, int milliseconds) {
  char letter;
  return is_readable(pipe.reader.number(), milliseconds) && ::read(pipe.reader.number(), &letter, 1) == 0;
}

struct SeenEnd {
  bool is_known = false, was_told = false;
  int status = -1;
};

// What the process beside the program does: it waits for the end, and sends what it knows of it.
void see_end(WrappedProcess& program, int to) {
  const ProcessEnd end(program.id());
  send(to, ::getpid());  // it is ready
  while (!program.has_ended()) is_readable(program.descriptor(), 5000);
  const auto status = end.status();
  send(to, SeenEnd{status.has_value(), program.was_told_to_end(), status.value_or(-1)});
}

// A program with a process beside it, and what that sends.
class Program {
 public:
  explicit Program(const std::function<void()>& program, const std::function<void(WrappedProcess&, int)>& beside = see_end)
      : id_(::fork()) {
    if (id_ == 0) {
      const rlimit none{0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      ::setpgid(0, 0);
      const int to = pipe_.writer.number();
      if (run_beside([&](WrappedProcess& self) { beside(self, to); }, {to}) < 0) ::_exit(99);
      pipe_.writer = Descriptor();
      program();
      ::_exit(0);
    }
    ::setpgid(id_, id_);
    pipe_.writer = Descriptor();
    beside_ = receive<pid_t>(from());
  }
  ~Program() {
    ::kill(-id_, SIGKILL);
    end();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t id() const { return id_; }
  pid_t beside() const { return beside_; }
  int from() const { return pipe_.reader.number(); }
  const Pipe& pipe() const { return pipe_; }
  int end() {
    int status = -1;
    ::waitpid(id_, &status, 0);
    return status;
  }

 private:
  Pipe pipe_;
  pid_t id_, beside_ = 0;
};

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

TEST(WrappedProcess, SeesTheEndOfTheProgram) {
  for (const int expected : {W_EXITCODE(0, 0), W_EXITCODE(7, 0), SIGTERM, SIGSEGV, SIGKILL, SIGABRT, SIGPIPE})
    for (const bool is_taken : {false, true}) {  // the launcher takes the status at once
      Program program([&] {
        ::usleep(20'000);
        if (WIFSIGNALED(expected)) ::raise(WTERMSIG(expected));
        ::_exit(WEXITSTATUS(expected));
      });
      if (is_taken) EXPECT_EQ(program.end(), expected);
      const auto seen = receive<SeenEnd>(program.from());
      EXPECT_TRUE(seen.is_known || is_taken) << expected;
      if (seen.is_known) EXPECT_EQ(seen.status, expected);
      EXPECT_FALSE(seen.was_told);
      if (!is_taken) EXPECT_EQ(program.end(), expected);
    }
}

TEST(WrappedProcess, KnowsWhetherItWasToldToEnd) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1}) {
    Program program(wait_for_ever);
    ::kill(-program.id(), signal);
    const auto seen = receive<SeenEnd>(program.from());
    EXPECT_EQ(seen.was_told, signal != SIGUSR1) << signal;
    EXPECT_EQ(seen.status, signal);
  }
}

TEST(WrappedProcess, TheProgramDoesNotNotice) {
  Pipe answer;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  Program program([&] {
    sigset_t mask;
    ::sigprocmask(SIG_SETMASK, nullptr, &mask);
    send(answer.writer.number(), sigismember(&mask, SIGUSR2) == 1 && sigismember(&mask, SIGTERM) == 0);
    const bool has_children = ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
    send(answer.writer.number(), has_children);
    const pid_t own = ::fork();
    if (own == 0) ::_exit(3);
    int status = 0;
    send(answer.writer.number(), ::wait(&status) == own && WEXITSTATUS(status) == 3 && ::wait(nullptr) == -1);
  });
  ::sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  EXPECT_TRUE(receive<bool>(answer.reader.number())) << "its signals are blocked as before";
  EXPECT_FALSE(receive<bool>(answer.reader.number())) << "it has a child";
  EXPECT_TRUE(receive<bool>(answer.reader.number())) << "it waits for its own children";
  EXPECT_TRUE(receive<SeenEnd>(program.from()).is_known);
}

TEST(WrappedProcess, SignalsToTheProgramAreItsOwn) {
  Program program(wait_for_ever);
  ::kill(program.id(), SIGSTOP);
  int status = 0;
  EXPECT_EQ(::waitpid(program.id(), &status, WUNTRACED), program.id());
  EXPECT_TRUE(WIFSTOPPED(status));
  ::kill(program.id(), SIGCONT);
  ::kill(program.id(), SIGTERM);
  const auto seen = receive<SeenEnd>(program.from());
  EXPECT_EQ(seen.status, SIGTERM);
  EXPECT_FALSE(seen.was_told) << "only signals to the group come to the process beside";
  EXPECT_EQ(program.end(), SIGTERM);
}

TEST(WrappedProcess, KnowsThatTheTerminalHasStoppedIt) {
  Program program(wait_for_ever, [](WrappedProcess& self, int to) {
    send(to, ::getpid());
    for (bool was_stopped = false; !self.has_ended(); is_readable(self.descriptor(), 20))
      if (self.is_stopped() != was_stopped) send(to, was_stopped = self.is_stopped());
  });
  for (int i = 0; i < 2; ++i) {
    ::kill(-program.id(), SIGTSTP);
    EXPECT_TRUE(receive<bool>(program.from()));
    EXPECT_FALSE(is_readable(program.from(), 100));
    ::kill(-program.id(), SIGCONT);
    EXPECT_FALSE(receive<bool>(program.from()));
  }
}

TEST(WrappedProcess, GoesOnWhenTheMainThreadEnds) {
  Program program([] {
    std::thread([] { ::usleep(50'000), ::_exit(5); }).detach();
    ::syscall(SYS_exit, 0);  // ends the thread only
  });
  EXPECT_EQ(receive<SeenEnd>(program.from()).status, W_EXITCODE(5, 0));
}

TEST(WrappedProcess, IsKilledWithTheGroup) {
  Program program(wait_for_ever);
  ::kill(-program.id(), SIGKILL);
  EXPECT_TRUE(ends(program.pipe(), 10'000) || receive<SeenEnd>(program.from()).status == SIGKILL);
}

TEST(WrappedProcess, ClosesTheDescriptorsOfTheProgram) {
  Pipe closed, ready;
  Program program([&] {
    closed.writer = Descriptor();
    ready.writer = Descriptor();
    wait_for_ever();
  });
  closed.writer = Descriptor(), ready.writer = Descriptor();
  EXPECT_TRUE(ends(ready, 10'000));
  EXPECT_TRUE(ends(closed, 10'000));
  EXPECT_FALSE(is_readable(program.from(), 20)) << "the process beside it still runs";
}

TEST(ProcessEnd, KnowsWhetherAnyProcessHasEnded) {
  const pid_t other = ::fork();
  if (other == 0) wait_for_ever();
  const ProcessEnd end(other);
  EXPECT_FALSE(end.has_come());
  ::kill(other, SIGKILL);
  ::waitid(P_PID, static_cast<id_t>(other), nullptr, WEXITED | WNOWAIT);
  EXPECT_TRUE(end.has_come());
  EXPECT_EQ(end.status(), SIGKILL);
  EXPECT_EQ(::waitpid(other, nullptr, 0), other);
  EXPECT_TRUE(end.has_come());
}

}  // namespace
}  // namespace quadrille::command

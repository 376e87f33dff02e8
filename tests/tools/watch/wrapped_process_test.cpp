// SPDX-License-Identifier: BSD-3-Clause
// A process that stands for its program, as a launcher sees it. The test is the launcher; its child has the WrappedProcess, whose
// program is a function of the test or a command.
#include "watch/wrapped_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <utility>
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

[[noreturn]] void execute(const char* command) {
  ::execlp("sh", "sh", "-c", command, nullptr);
  ::_exit(127);
}

// What the child does: it wraps the program, and ends as that. `told` gets was_told_to_end() at the end.
[[noreturn]] void wrap(const std::function<void()>& begin, const std::vector<int>& kept, int told) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::vector<int> all = kept;
  if (told >= 0) all.push_back(told);
  WrappedProcess program(begin, all);
  for (;;) {
    pollfd polled{program.descriptor(), POLLIN, 0};
    ::poll(&polled, 1, -1);
    const auto status = program.pass_signals();
    if (!status) continue;
    if (told >= 0) send(told, program.was_told_to_end());
    end_like(*status);
  }
}

class Wrapped {
 public:
  // `prepare` runs in the child before it wraps the program.
  explicit Wrapped(const std::function<void()>& begin, const std::vector<int>& kept = {},
                   const std::function<void()>& prepare = nullptr, int told = -1)
      : id_(::fork()) {
    if (id_ == 0) {
      ::setpgid(0, 0);
      if (prepare) prepare();
      wrap(begin, kept, told);
    }
    ::setpgid(id_, id_);
  }
  ~Wrapped() {
    if (id_ > 0) ::kill(id_, SIGKILL), ::waitpid(id_, nullptr, 0);
  }
  Wrapped(const Wrapped&) = delete;
  Wrapped& operator=(const Wrapped&) = delete;

  pid_t id() const { return id_; }
  void get(int signal) const { EXPECT_EQ(::kill(id_, signal), 0); }

  // Waits for the end, or for a stop; -1: neither happens within 10 s.
  int status(int options = 0) {
    for (int i = 0; i < 10'000; ++i, ::usleep(1000)) {
      int status = 0;
      if (::waitpid(id_, &status, WNOHANG | options) != id_) continue;
      if (!WIFSTOPPED(status)) id_ = -1;
      return status;
    }
    return -1;
  }

 private:
  pid_t id_;
};

// A program that sends its id, and then the number of each signal that it gets.
int notes = -1;

void note(int signal) { static_cast<void>(!::write(notes, &signal, sizeof signal)); }

[[noreturn]] void note_signals(int to) {
  notes = to;
  for (const int signal : {SIGUSR1, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGWINCH, SIGCONT, SIGRTMIN + 3}) {
    struct sigaction action {};
    action.sa_handler = note;
    ::sigaction(signal, &action, nullptr);
  }
  send(to, ::getpid());
  for (;;) ::pause();
}

TEST(WrappedProcess, EndsWithTheExitCode) {
  EXPECT_EQ(Wrapped([] { execute("exit 7"); }).status(), W_EXITCODE(7, 0));
  EXPECT_EQ(Wrapped([] { execute("exit 0"); }).status(), 0);
  EXPECT_EQ(Wrapped([] {}).status(), W_EXITCODE(2, 0)) << "the program was not started";
}

TEST(WrappedProcess, EndsByTheSameSignal) {
  for (const int signal : {SIGTERM, SIGSEGV, SIGKILL, SIGABRT, SIGINT, SIGPIPE, SIGRTMIN + 1})
    for (const bool is_ignored : {false, true}) {  // by what starts the program, which does not ignore it
      const auto begin = [&] { ::signal(signal, SIG_DFL), ::raise(signal); };
      const int status = Wrapped(begin, {}, [&] { ::signal(signal, is_ignored ? SIG_IGN : SIG_DFL); }).status();
      EXPECT_TRUE(WIFSIGNALED(status)) << signal;
      EXPECT_EQ(WTERMSIG(status), signal);
    }
}

TEST(WrappedProcess, TheProgramGetsEachSignalOnce) {
  for (const int signal : {SIGUSR1, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGWINCH, SIGCONT, SIGRTMIN + 3})
    for (const bool to_group : {false, true}) {
      Pipe pipe;
      Wrapped wrapped([&] { note_signals(pipe.writer.number()); });
      pipe.writer = Descriptor();
      receive<pid_t>(pipe.reader.number());
      EXPECT_EQ(::kill(to_group ? -wrapped.id() : wrapped.id(), signal), 0);
      EXPECT_EQ(receive<int>(pipe.reader.number()), signal);
      EXPECT_FALSE(is_readable(pipe.reader.number(), 20)) << "signal " << signal << " came again";
    }
}

TEST(WrappedProcess, KnowsWhetherItWasToldToEnd) {
  for (const auto& [signal, is_told] :
       {std::pair(SIGTERM, true), {SIGINT, true}, {SIGHUP, true}, {SIGQUIT, true}, {SIGUSR1, false}}) {
    Pipe ready, told;
    Wrapped wrapped(
        [&] {
          send(ready.writer.number(), ::getpid());
          for (;;) ::pause();
        },
        {}, nullptr, told.writer.number());
    receive<pid_t>(ready.reader.number());
    wrapped.get(signal);
    EXPECT_EQ(receive<bool>(told.reader.number()), is_told) << signal;
    EXPECT_EQ(WTERMSIG(wrapped.status()), signal);
  }
}

TEST(WrappedProcess, AStoppedProgramGoesOn) {
  Pipe pipe;
  Wrapped wrapped([&] { note_signals(pipe.writer.number()); });
  const auto program = receive<pid_t>(pipe.reader.number());
  EXPECT_EQ(::kill(program, SIGSTOP), 0);
  wrapped.get(SIGUSR1);
  EXPECT_FALSE(is_readable(pipe.reader.number(), 50));
  EXPECT_EQ(::waitpid(wrapped.id(), nullptr, WNOHANG | WUNTRACED), 0) << "neither ended nor stopped";
  EXPECT_EQ(::kill(program, SIGCONT), 0);
  const int first = receive<int>(pipe.reader.number()), second = receive<int>(pipe.reader.number());
  EXPECT_THAT((std::vector{first, second}), ::testing::UnorderedElementsAre(SIGUSR1, SIGCONT));
}

// A launcher stops its processes by SIGTSTP, and continues them by SIGCONT.
TEST(WrappedProcess, StopsWithTheProgram) {
  Pipe pipe;
  Wrapped wrapped([&] { note_signals(pipe.writer.number()); });
  const auto program = receive<pid_t>(pipe.reader.number());
  wrapped.get(SIGTSTP);
  EXPECT_TRUE(WIFSTOPPED(wrapped.status(WUNTRACED)));
  EXPECT_EQ(::kill(program, SIGUSR1), 0);
  EXPECT_FALSE(is_readable(pipe.reader.number(), 50)) << "the program is stopped, too";
  wrapped.get(SIGCONT);
  const int first = receive<int>(pipe.reader.number()), second = receive<int>(pipe.reader.number());
  EXPECT_THAT((std::vector{first, second}), ::testing::UnorderedElementsAre(SIGUSR1, SIGCONT));
}

TEST(WrappedProcess, TheProgramDiesWithIt) {
  Pipe pipe;
  Wrapped wrapped([&] { note_signals(pipe.writer.number()); });
  pipe.writer = Descriptor();
  receive<pid_t>(pipe.reader.number());
  EXPECT_FALSE(ends(pipe, 20));
  wrapped.get(SIGKILL);
  EXPECT_TRUE(ends(pipe, 10'000));
}

TEST(WrappedProcess, ClosesTheDescriptorsOfTheProgram) {
  Pipe closed, kept, output, answer;
  Wrapped wrapped(
      [&] {
        for (const int each : {closed.writer.number(), kept.writer.number(), STDOUT_FILENO}) ::close(each);
        send(answer.writer.number(), ::fcntl(answer.reader.number(), F_GETFD));
        for (;;) ::pause();
      },
      {kept.writer.number()}, [&] { ::dup2(output.writer.number(), STDOUT_FILENO), output.writer = Descriptor(); });
  for (Pipe* each : {&closed, &kept, &output}) each->writer = Descriptor();
  EXPECT_EQ(receive<int>(answer.reader.number()), 0) << "the program has the launcher's descriptors";
  EXPECT_TRUE(ends(closed, 10'000));
  EXPECT_TRUE(ends(output, 10'000));
  EXPECT_FALSE(ends(kept, 50));
  wrapped.get(SIGKILL);
  EXPECT_TRUE(ends(kept, 10'000));
}

TEST(WrappedProcess, TheProgramReadsAndWritesTheSame) {
  Pipe input, output;
  Wrapped wrapped([] { execute("cat"); }, {},
                  [&] {
                    ::dup2(input.reader.number(), STDIN_FILENO);
                    ::dup2(output.writer.number(), STDOUT_FILENO);
                    input.writer = Descriptor();
                  });
  output.writer = Descriptor();
  send(input.writer.number(), 4711);
  EXPECT_EQ(receive<int>(output.reader.number()), 4711);
  input.writer = Descriptor();
  EXPECT_TRUE(ends(output, 10'000));
  EXPECT_EQ(wrapped.status(), 0);
}

TEST(WrappedProcess, TheProgramHasItsOwnGroup) {
  Pipe pipe;
  Wrapped wrapped([&] {
    for (const pid_t each : {::getpid(), ::getpgrp(), ::getppid()}) send(pipe.writer.number(), each);
    ::_exit(0);
  });
  const auto program = receive<pid_t>(pipe.reader.number());
  EXPECT_EQ(receive<pid_t>(pipe.reader.number()), program);
  EXPECT_EQ(receive<pid_t>(pipe.reader.number()), wrapped.id());
  EXPECT_EQ(wrapped.status(), 0);
}

// Launchers may ignore signals, SIGCHLD among them, for what they start.
TEST(WrappedProcess, TheProgramHasTheSignalsFromBefore) {
  Pipe pipe;
  Wrapped wrapped(
      [&] {
        sigset_t mask;
        ::sigprocmask(SIG_SETMASK, nullptr, &mask);
        for (const int signal : {SIGUSR1, SIGTERM, SIGCHLD, SIGRTMIN + 3}) send(pipe.writer.number(), sigismember(&mask, signal));
        for (const int signal : {SIGHUP, SIGCHLD, SIGPIPE, SIGTERM}) {
          struct sigaction action {};
          ::sigaction(signal, nullptr, &action);
          send(pipe.writer.number(), action.sa_handler == SIG_IGN ? 1 : action.sa_handler == SIG_DFL ? 0 : -1);
        }
        int dies_with_parent = 0;
        ::prctl(PR_GET_PDEATHSIG, &dies_with_parent);
        send(pipe.writer.number(), dies_with_parent);
        ::_exit(7);
      },
      {},
      [] {
        sigset_t blocked;
        sigemptyset(&blocked);
        for (const int signal : {SIGUSR1, SIGRTMIN + 3}) sigaddset(&blocked, signal);
        ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
        for (const int signal : {SIGHUP, SIGCHLD}) ::signal(signal, SIG_IGN);
      });
  for (const bool is_blocked : {true, false, false, true}) EXPECT_EQ(receive<int>(pipe.reader.number()), is_blocked);
  for (const bool is_ignored : {true, true, false, false}) EXPECT_EQ(receive<int>(pipe.reader.number()), is_ignored);
  EXPECT_EQ(receive<int>(pipe.reader.number()), SIGKILL);
  EXPECT_EQ(wrapped.status(), W_EXITCODE(7, 0)) << "it sees the end of the program although SIGCHLD was ignored";
}

TEST(WrappedProcess, PassesTheTerminalOn) {
  Pipe pipe;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) wrap([&] { note_signals(pipe.writer.number()); }, {}, -1);
  pipe.writer = Descriptor();
  const Descriptor closes(terminal);
  const auto program = receive<pid_t>(pipe.reader.number());
  const auto comes_to_front = [&](pid_t group) {
    for (int i = 0; i < 10'000 && ::tcgetpgrp(terminal) != group; ++i) ::usleep(1000);
    return ::tcgetpgrp(terminal) == group;
  };
  EXPECT_TRUE(comes_to_front(program));
  const auto type = [&](char letter) { EXPECT_EQ(::write(terminal, &letter, 1), 1); };
  constexpr char control_c = 3, control_z = 26;
  type(control_c);
  EXPECT_EQ(receive<int>(pipe.reader.number()), SIGINT);
  EXPECT_FALSE(is_readable(pipe.reader.number(), 20));
  type(control_z);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status));
  EXPECT_EQ(::tcgetpgrp(terminal), child) << "the shell gets the terminal back";
  EXPECT_EQ(::kill(child, SIGCONT), 0);
  EXPECT_EQ(receive<int>(pipe.reader.number()), SIGCONT);
  EXPECT_TRUE(comes_to_front(program));
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace quadrille::command

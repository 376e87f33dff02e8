// SPDX-License-Identifier: BSD-3-Clause
#include "watch/wrapped_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

// Descriptors that the launcher has given to the program, such as pipes: whoever waits for their end must not wait for this
// process.
void close_all_but(const std::vector<int>& kept) {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (!folder) return;
  std::vector<int> open;
  while (const dirent* const each = ::readdir(folder)) {
    const int number = std::atoi(each->d_name);
    if (number > STDERR_FILENO && number != ::dirfd(folder) && std::find(kept.begin(), kept.end(), number) == kept.end())
      open.push_back(number);
  }
  ::closedir(folder);
  for (const int each : open) ::close(each);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (const int each : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(nothing, each);
  ::close(nothing);
}

}  // namespace

WrappedProcess::WrappedProcess(const std::function<void()>& begin, const std::vector<int>& kept) {
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const auto child_handler = ::signal(SIGCHLD, SIG_DFL);  // while it is ignored, the status of a child is lost
  has_terminal_ = ::isatty(STDIN_FILENO) && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) throw Error(ErrorCode::environment, std::string("the program cannot be started: ") + std::strerror(errno));
  if (id_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);                  // it died before
    if (has_terminal_) ::tcsetpgrp(STDIN_FILENO, ::getpid());  // SIGTTOU is blocked
    ::signal(SIGCHLD, child_handler);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    begin();
    std::_Exit(2);
  }
  ::setpgid(id_, id_);
  // The terminal must stay open to give it back.
  if (!has_terminal_) close_all_but(kept);
  signals_ = Descriptor(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  if (signals_.number() < 0) throw Error(ErrorCode::environment, std::string("signals cannot be read: ") + std::strerror(errno));
}

// The terminal has stopped the program: lets the shell know, and goes on when the shell continues this process.
void WrappedProcess::stop_with_program() {
  if (!has_terminal_) return;
  ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  ::raise(SIGSTOP);
  ::tcsetpgrp(STDIN_FILENO, id_);
  ::kill(-id_, SIGCONT);
}

std::optional<int> WrappedProcess::pass_signals() {
  signalfd_siginfo signal{};
  while (::read(signals_.number(), &signal, sizeof signal) == sizeof signal) {
    const int number = static_cast<int>(signal.ssi_signo);
    if (number == SIGCHLD) {
      int status = 0;
      while (::waitpid(id_, &status, WNOHANG | WUNTRACED) == id_) {
        if (WIFSTOPPED(status))
          stop_with_program();
        else
          return status;
      }
    } else if (number != SIGTTIN && number != SIGTTOU && number != SIGPIPE) {
      was_told_to_end_ |= number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
      ::kill(-id_, number);
      if (number == SIGTSTP) ::raise(SIGSTOP);
    }
  }
  return std::nullopt;
}

void end_like(int status) {
  if (WIFEXITED(status)) std::_Exit(WEXITSTATUS(status));
  const rlimit none{0, 0};  // the program has written its own core file
  ::setrlimit(RLIMIT_CORE, &none);
  const int number = WTERMSIG(status);
  ::signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  ::kill(::getpid(), number);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  std::_Exit(128 + number);
}

}  // namespace quadrille::command

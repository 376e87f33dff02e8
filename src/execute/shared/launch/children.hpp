// SPDX-License-Identifier: BSD-3-Clause
// Waiting for child processes so that their exit codes are not lost.
#pragma once

#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace quadrille {

// Gives SIGCHLD its default action for the lifetime of this object. This is needed because a process may inherit SIGCHLD as
// ignored: then the kernel discards the exit codes of children, and waitpid fails with ECHILD. Only for processes with one thread.
class ChildrenAreKept {
 public:
  ChildrenAreKept() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &before_);
  }
  ~ChildrenAreKept() { restore(); }
  ChildrenAreKept(const ChildrenAreKept&) = delete;
  ChildrenAreKept& operator=(const ChildrenAreKept&) = delete;

  void restore() const { sigaction(SIGCHLD, &before_, nullptr); }  // a child calls it before exec

 private:
  struct sigaction before_;
};

// Calls waitpid, and repeats it if a signal interrupts it.
inline pid_t wait_for_child(pid_t child, int* status, int options = 0) {
  pid_t found = 0;
  do found = ::waitpid(child, status, options);
  while (found == -1 && errno == EINTR);
  return found;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// The exit codes of this process's children.
#pragma once

#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace quadrille {

// While it lives, SIGCHLD has its default action. A process may inherit it as ignored; the system then forgets children that end,
// and waitpid fails with ECHILD. For processes with one thread.
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

  void restore() const { sigaction(SIGCHLD, &before_, nullptr); }  // for a child, before it becomes another program

 private:
  struct sigaction before_;
};

// waitpid, again if a signal interrupts it.
inline pid_t wait_for_child(pid_t child, int* status, int options = 0) {
  pid_t found = 0;
  do found = ::waitpid(child, status, options);
  while (found == -1 && errno == EINTR);
  return found;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Runs a check in a process of its own. Process::current() exists until its process ends, and a process forked from there may not
// share memory. So a test that calls it must not do so in the process of the tests, in which other tests fork.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace quadrille::testing {

// Returns whether `check` returned true in a child process.
template <class Check>
bool holds_in_a_child(const Check& check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check() ? 0 : 1);
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace quadrille::testing

// SPDX-License-Identifier: BSD-3-Clause
// Where the main thread of another process is, read from outside.
//
// The thread is stopped by PTRACE_SEIZE and PTRACE_INTERRUPT while its stack is read, which takes milliseconds. If it does not stop
// within 0.5 s, because it is in an uninterruptible wait or gets no processor core, it is left alone. A process that was stopped by
// a signal stays stopped. System calls that a stop interrupts go on, except those that signal(7) lists as ended with EINTR by a
// stop and a continuation even without a handler: epoll_wait, sigtimedwait and sigwaitinfo, semop and semtimedop, reads from
// inotify, and waits on sockets that have a time-out.
//
// The system lets a process sample its descendants and, unless kernel.yama.ptrace_scope is set, all processes of its user. For each
// stop of a child the caller gets a SIGCHLD. While a sample is taken, no other thread of the caller may wait for children.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "watch/places.hpp"

namespace quadrille::command {

struct StackSample {
  std::vector<std::string> frames;  // those of no MPI library, binding or library of the system, innermost first
  std::string why_not;              // a sentence, if the stack cannot be read
};

// For a Python program, the frames are those of Python (python_frames.hpp), and the process is not stopped. `places` are those of
// the process. The exit status of a process that ends meanwhile is left to its parent.
StackSample sample(pid_t process, SourcePlaces& places);

// Samples three times, 20 ms apart, and returns the frames, at most 8, of the most frequent innermost one; or one sentence that
// says why there are none.
std::vector<std::string> where_it_computes(pid_t process, SourcePlaces& places);

}  // namespace quadrille::command

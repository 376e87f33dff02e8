// SPDX-License-Identifier: BSD-3-Clause
// Where another process is: the stacks of its threads, read from outside, and what the system says of it.
//
// A thread is stopped by PTRACE_SEIZE and PTRACE_INTERRUPT only while its registers and its stack are copied, which takes well
// below a millisecond; the frames are found in the copy. If a thread does not stop within 0.5 s, because it is in an
// uninterruptible wait or gets no processor core, it is left alone. A process that was stopped by a signal stays stopped. System
// calls that a stop interrupts go on, except those that signal(7) lists as ended with EINTR by a stop and a continuation even
// without a handler: epoll_wait, sigtimedwait and sigwaitinfo, semop and semtimedop, reads from inotify, and waits on sockets that
// have a time-out.
//
// Frames that lie more than 512 KiB above the stack pointer are read after the thread goes on. If it returned from them in the
// meantime, they are wrong.
//
// The system lets a process sample its descendants and, unless kernel.yama.ptrace_scope is set, all processes of its user. For each
// stop of a child the caller gets a SIGCHLD. While a sample is taken, no other thread of the caller may wait for children.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "watch/places.hpp"

namespace quadrille::command {

// A thread and its frames, innermost first.
struct ThreadStack {
  pid_t thread = 0;
  std::string state;                     // when it was sampled: "runs", "sleeps", "waits for a device", "is stopped"
  std::vector<std::uint64_t> addresses;  // return addresses; the first, of the instruction that runs, is increased by 1
  std::vector<std::string> frames;       // the place of each address (SourcePlaces::of)
  double stopped_s = 0;                  // how long the thread was stopped, at most
};

struct ProcessSample {
  std::vector<ThreadStack> threads;  // the main thread first; no threads that have ended, and at most 64
  std::vector<Module> modules;
  std::vector<std::string> python;  // the main thread's frames of Python (python_frames.hpp), which need no stop; empty: none
  std::string why_not;              // why no thread has frames: "a debugger is attached", or a sentence; empty: they have
  double processor_s = -1;          // processor time that the process has used; negative: unknown
  char state = 0;                   // as in proc(5), of the main thread: 'R', 'S', 'T'; 0: the process is gone
  std::string waits_in;             // the kernel's word for what the main thread waits for, such as "pipe_read"; may be empty
};

// Samples each thread of a process. If `only_main`, samples the main thread alone. The exit status of a process that ends meanwhile
// is left to its parent.
ProcessSample sample(pid_t process, SourcePlaces& places, bool only_main = false);

// Returns the places of a thread's frames that are the user's: those of no MPI library, binding or library of the system.
std::vector<std::string> users_frames(const ThreadStack& thread, std::span<const Module> modules);

// Returns the innermost of the user's frames of the main thread: the one of Python, if there are any. Empty if there is none.
std::string users_frame(const ProcessSample& sample);

// Samples the main thread three times, 20 ms apart, and returns the frames, innermost first, of the most frequent innermost frame:
// at most 8, and only the user's if there are any. For a Python program they are the frames of Python (python_frames.hpp). If there
// are no frames, it returns one sentence that says why.
std::vector<std::string> where_it_computes(pid_t process, SourcePlaces& places);

}  // namespace quadrille::command

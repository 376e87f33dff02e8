// SPDX-License-Identifier: BSD-3-Clause
// Two events after which a process must not use its objects as before: it was forked as a child, or MPI was finalised.
#pragma once

#include <atomic>

namespace quadrille {

// Tells whether an object is used in a forked child of the process that made it. Unlike getpid() it takes no system call. It
// notices fork() only: _Fork(), clone() and vfork() run no handlers, and their children must not use objects of their parent.
class ForkMark {
 public:
  ForkMark();

  // True in a child that was forked after this object was made.
  bool is_in_child() const { return made_ != forks_.load(std::memory_order_relaxed); }

 private:
  static std::atomic<unsigned> forks_;  // number of forks from the first process to this one; each new child adds 1
  const unsigned made_;
};

// Actions to run when MPI is finalised. MPI_Finalize deletes the attributes of MPI_COMM_SELF, the newest first. Their delete
// callbacks may still call collectives. So Quadrille must end after all callbacks of the program. The last attribute to be
// deleted is an attribute that was set in MPI_Init. The drop-in intercepts MPI_Init, sets that attribute, and calls run() in its
// callback. If there is no drop-in, is_promised() is false, and the users of this class set an attribute themselves.
class EndOfMpi {
 public:
  using Action = void (*)(void* memory);

  // The caller of promise() must call run() in MPI_Finalize, after the callbacks of all other attributes.
  static void promise();
  static bool is_promised();

  static void add(Action action, void* memory);  // adds an action for run(); call it after promise()
  static void run();

  // True from the call of set_over() on: MPI must not be called any more. MPI_Finalized does not tell this: if a session outlives
  // MPI_Finalize, MPICH keeps MPI_COMM_SELF and calls its callbacks when the session ends.
  static const std::atomic<bool>& over();
  static bool is_over() { return over().load(std::memory_order_relaxed); }
  static void set_over();
};

}  // namespace quadrille

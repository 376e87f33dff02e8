// SPDX-License-Identifier: BSD-3-Clause
// Actions to run when MPI is finalised. MPI_Finalize deletes the attributes of MPI_COMM_SELF, the newest first. Their delete
// callbacks may still call collectives. So Quadrille must end after all of them, and only an attribute that is set in MPI_Init is
// deleted last. The drop-in intercepts MPI_Init, sets that attribute, and calls run() in its callback. If there is no drop-in,
// is_promised() is false, and a user of this header sets an attribute itself.
#pragma once

#include <atomic>

namespace quadrille {

class EndOfMpi {
 public:
  using Action = void (*)(void* memory);

  // The caller of promise() must call run() in MPI_Finalize, after the callbacks of all other attributes.
  static void promise();
  static bool is_promised();

  static void add(Action action, void* memory);  // for run(), after promise()
  static void run();

  // True as soon as set_over() was called, at the beginning of the end: MPI must not be called any more. MPI_Finalized would not
  // tell this: a session may outlive MPI_Finalize, and MPICH then keeps MPI_COMM_SELF and calls its callbacks when the session
  // ends.
  static const std::atomic<bool>& over();
  static bool is_over() { return over().load(std::memory_order_relaxed); }
  static void set_over();
};

}  // namespace quadrille

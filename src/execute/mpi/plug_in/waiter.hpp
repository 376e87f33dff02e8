// SPDX-License-Identifier: BSD-3-Clause
// Waiting for MPI requests. MPI's own waiting is the fastest where there is a core for every rank, and where the library
// gives the core away itself. Elsewhere (MPICH never does, Open MPI only if told) every fruitless poll gives it away here:
// without that a wait costs whole time slices.
#pragma once

#include <sched.h>

#include "execute/mpi/plug_in/mpi_calls.hpp"

namespace quadrille {

class Waiter {
 public:
  // Collective over `communicator`, whose tag 1 must be unused.
  explicit Waiter(MPI_Comm communicator);
  Waiter() = default;  // for a library that waits as it should

  // Does the library give the core away in each fruitless poll?
  bool polls_yield() const { return polls_yield_; }

  void wait_all(int count, MPI_Request* requests) const {
    if (!yields_) return check_mpi(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (int done = 0;;) {
      check_mpi(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) return;
      sched_yield();
    }
  }

  // At least one; fills `completed` with positions and returns how many.
  int wait_some(int count, MPI_Request* requests, int* completed) const {
    int done = 0;
    if (!yields_) {
      check_mpi(MPI_Waitsome(count, requests, &done, completed, MPI_STATUSES_IGNORE), "MPI_Waitsome");
      return done;
    }
    for (;;) {
      check_mpi(MPI_Testsome(count, requests, &done, completed, MPI_STATUSES_IGNORE), "MPI_Testsome");
      if (done != 0) return done;
      sched_yield();
    }
  }

  // For a message that may be of any length; it is then `message`'s.
  void wait_until_probed(int from, int tag, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) const {
    if (!yields_) return check_mpi(MPI_Mprobe(from, tag, communicator, message, status), "MPI_Mprobe");
    for (int found = 0;;) {
      check_mpi(MPI_Improbe(from, tag, communicator, &found, message, status), "MPI_Improbe");
      if (found) return;
      sched_yield();
    }
  }

 private:
  bool polls_yield_ = false;
  bool yields_ = false;  // this rank must give its core away itself
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Waiting for MPI requests. With a core for every rank MPI's own waiting is the fastest; otherwise every fruitless poll
// gives the core away, which not every MPI library does by itself (MPICH never does).
#pragma once

#include <sched.h>

#include "execute/mpi/plug_in/mpi_calls.hpp"

namespace quadrille {

class Waiter {
 public:
  explicit Waiter(bool core_for_every_rank) : core_for_every_rank_(core_for_every_rank) {}

  void wait_all(int count, MPI_Request* requests) const {
    if (core_for_every_rank_) return check_mpi(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (int done = 0;;) {
      check_mpi(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) return;
      sched_yield();
    }
  }

  // At least one; fills `completed` with positions and returns how many.
  int wait_some(int count, MPI_Request* requests, int* completed) const {
    int done = 0;
    if (core_for_every_rank_) {
      check_mpi(MPI_Waitsome(count, requests, &done, completed, MPI_STATUSES_IGNORE), "MPI_Waitsome");
      return done;
    }
    for (;;) {
      check_mpi(MPI_Testsome(count, requests, &done, completed, MPI_STATUSES_IGNORE), "MPI_Testsome");
      if (done != 0) return done;
      sched_yield();
    }
  }

 private:
  bool core_for_every_rank_;
};

}  // namespace quadrille

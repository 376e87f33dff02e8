// SPDX-License-Identifier: BSD-3-Clause
// Waiting for MPI requests. MPI's own waiting is the fastest where there is a core for every rank, and where the library
// gives the core away itself. Elsewhere (MPICH never does, Open MPI only if told) every fruitless poll gives it away here:
// without that a wait costs whole time slices.
#pragma once

#include <sched.h>

#include "execute/in_flight.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"

namespace quadrille {

class Waiter {
 public:
  // `polls_yield`: the library gives the core away in each fruitless poll. `in_flight`, which outlives this, is advanced by whoever
  // waits.
  Waiter(bool polls_yield, bool core_for_every_rank, InFlight& in_flight)
      : in_flight_(&in_flight), yields_(!core_for_every_rank && !polls_yield) {}
  Waiter() = default;  // for a library that waits as it should

  void wait_all(int count, MPI_Request* requests) const {
    if (mpi_waits()) return check_mpi(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (int done = 0;; go_on()) {
      check_mpi(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) return;
    }
  }

  // At least one; fills `completed` with positions and returns how many.
  int wait_some(int count, MPI_Request* requests, int* completed) const {
    int done = 0;
    if (mpi_waits()) {
      check_mpi(MPI_Waitsome(count, requests, &done, completed, MPI_STATUSES_IGNORE), "MPI_Waitsome");
      return done;
    }
    for (;; go_on()) {
      check_mpi(MPI_Testsome(count, requests, &done, completed, MPI_STATUSES_IGNORE), "MPI_Testsome");
      if (done != 0) return done;
    }
  }

  // For a message that may be of any length; it is then `message`'s.
  void wait_until_probed(int from, int tag, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) const {
    if (mpi_waits()) return check_mpi(MPI_Mprobe(from, tag, communicator, message, status), "MPI_Mprobe");
    for (int found = 0;; go_on()) {
      check_mpi(MPI_Improbe(from, tag, communicator, &found, message, status), "MPI_Improbe");
      if (found) return;
    }
  }

 private:
  bool mpi_waits() const { return !yields_ && (!in_flight_ || in_flight_->is_empty()); }

  // Call it after a poll that found nothing.
  void go_on() const {
    if (in_flight_) in_flight_->advance();
    if (yields_) sched_yield();
  }

  InFlight* in_flight_ = nullptr;
  bool yields_ = false;  // this rank must give its core away itself
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Waits for MPI requests. MPI's own waiting calls are the fastest if there is a core for every rank, or if the library yields the
// core itself. MPICH never yields the core, and Open MPI yields only if the user has configured that. In all other cases this class
// polls, and yields the core after each poll that finds nothing. Without these yields a wait would cost whole time slices.
#pragma once

#include <sched.h>

#include "execute/executions/in_flight.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"

namespace quadrille {

class Waiter {
 public:
  // `polls_yield`: the library yields the core in each poll that finds nothing. A waiting rank advances the executions of
  // `in_flight`, which must outlive this object.
  Waiter(bool polls_yield, bool core_for_every_rank, InFlight& in_flight)
      : in_flight_(&in_flight), yields_(!core_for_every_rank && !polls_yield) {}
  Waiter() = default;  // always uses MPI's waiting calls

  void wait_all(int count, MPI_Request* requests) const {
    if (mpi_waits()) return check_mpi(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (int done = 0;; go_on()) {
      check_mpi(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) return;
    }
  }

  // Waits until at least one request is complete. Stores the positions of complete requests in `completed` and returns their
  // number.
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

  // Waits for a message of any length and stores its handle in `message` (MPI_Mprobe).
  void wait_until_probed(int from, int tag, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) const {
    if (mpi_waits()) return check_mpi(MPI_Mprobe(from, tag, communicator, message, status), "MPI_Mprobe");
    for (int found = 0;; go_on()) {
      check_mpi(MPI_Improbe(from, tag, communicator, &found, message, status), "MPI_Improbe");
      if (found) return;
    }
  }

 private:
  bool mpi_waits() const { return !yields_ && (!in_flight_ || in_flight_->is_empty()); }

  // Advances other executions and yields. Call it after a poll that found nothing.
  void go_on() const {
    if (in_flight_) in_flight_->advance();
    if (yields_) sched_yield();
  }

  InFlight* in_flight_ = nullptr;
  bool yields_ = false;  // this rank must yield its core itself
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// What all calls of MPI have in common: errors become exceptions, messages have their own context and tag, and a waiting rank
// gives its core to other ranks. The plug-in calls MPI collectives by their profiling names (PMPI_), because functions with MPI_
// names may be those of the drop-in (src/mpi_face), which would call this library again.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <memory>
#include <string>

#include "execute/executions/in_flight.hpp"
#include "execute/process_events.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

// Turns error codes of MPI's C interface into exceptions.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) [[likely]]
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorCode::transport, std::string(call) + " failed: " + text);
}

// Throws if MPI has been finalised. Open executions check this before they call MPI, because MPI aborts a program that calls MPI
// after MPI_Finalize.
inline void check_not_finalised() {
  if (EndOfMpi::is_over()) throw Error(ErrorCode::misuse, "MPI has been finalised; wait for requests before MPI_Finalize");
}

// A lease gives a plan a communicator and a tag for its messages. The communicator carries no messages of the user, and no other
// plan of this communicator has the tag. The tag is the same on all ranks. All messages of a plan have this one tag: MPI matches
// messages between two ranks in the order in which these ranks post them, and the order is the same under all policies.
struct Lease {
  MPI_Comm communicator = MPI_COMM_NULL;
  int tag = 0;
  std::shared_ptr<const void> kept;  // the communicator is not freed while a copy of this exists
};

// Waits for MPI requests. MPI's own waiting calls are the fastest if there is a core for every rank, or if the MPI library yields
// the core. MPICH never yields the core, and Open MPI yields only if the user has configured that. In all other cases this class
// polls, and yields the core after each poll that finds nothing. Without these yields a waiting rank would use up its time
// slices.
class Waiter {
 public:
  // `polls_yield`: the library yields the core in each poll that finds nothing. A waiting rank advances the executions of
  // `in_flight`. `in_flight` must outlive this object.
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

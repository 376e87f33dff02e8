// SPDX-License-Identifier: BSD-3-Clause
// What all that is made for an MPI communicator has in common and keeps alive: a private duplicate, and how to wait for its
// messages.
#pragma once

#include <atomic>
#include <memory>

#include "execute/mpi/plug_in/waiter.hpp"
#include "execute/progress.hpp"

namespace quadrille {

class MpiGroup {
 public:
  // Collective. `own` is this object's from now on; with `finalises` it finalises MPI in the end. A node's group has its executions
  // `in_flight` with those of all ranks' group.
  MpiGroup(MPI_Comm own, bool finalises, std::shared_ptr<InFlight> in_flight = std::make_shared<InFlight>());
  ~MpiGroup();
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  MPI_Comm handle() const { return communicator_; }
  const Waiter& waiter() const { return waiter_; }

  const std::shared_ptr<InFlight>& in_flight() const { return in_flight_; }

  // The tag of a new plan's messages. Collective, so that all ranks have the same. Tags come again after as many plans as MPI has
  // tags, at least 32,760; two plans with one tag must not be in flight together.
  int new_tag();

  // Once MPI_Finalize has been called nothing here may be used any more, but only destroyed.
  bool has_ended() const { return ended_.load(std::memory_order_relaxed); }

  // Lets MPI go on, once, if this thread may call it. Returns whether that has given the core away.
  bool poll() const;

  // For those who wait in shared memory; it keeps the group alive.
  static Progress progress(const std::shared_ptr<MpiGroup>& group);

 private:
  MPI_Comm communicator_;
  const bool finalises_;
  const std::shared_ptr<InFlight> in_flight_;
  const Waiter waiter_;
  int last_tag_ = 0, highest_tag_ = 0;
  bool any_thread_ = false;           // may call MPI, not only the main one
  int end_key_ = MPI_KEYVAL_INVALID;  // an attribute of MPI_COMM_SELF, which MPI_Finalize deletes first of all
  std::atomic<bool> ended_{false};
};

}  // namespace quadrille

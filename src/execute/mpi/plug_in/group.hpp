// SPDX-License-Identifier: BSD-3-Clause
// What we know of a communicator of the user's. It is kept as an attribute of that communicator, so that all Communicators over it
// share it, and only the first has the ranks meet. Plans keep it alive.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "execute/mpi/plug_in/mpi_process.hpp"
#include "execute/mpi/plug_in/mpi_starts.hpp"
#include "execute/mpi/plug_in/waiter.hpp"
#include "execute/shared/meet.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class MpiGroup {
 public:
  // The one that is kept with the communicator; null if there is none yet, or if it has failed.
  static std::shared_ptr<MpiGroup> kept_with(MPI_Comm users);

  MpiGroup(MPI_Comm users, std::shared_ptr<MpiProcess> process);
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  // Collective: the ranks meet, as `ranks`, a Communicator over this group; then the group is kept with the user's communicator.
  static void meet(const std::shared_ptr<MpiGroup>& group, Communicator& ranks);

  // What is kept with a group: the plans behind calls without a plan. `make` makes it where there is none. Plans keep their group
  // alive, so the group does not own them. Null if the user's communicator has been freed, or has another group by now.
  std::shared_ptr<Calls> calls(const std::function<std::shared_ptr<Calls>()>& make) const;

  // For MPI_Comm_free of the user's communicator.
  static int forget(MPI_Comm, int, void* kept, void*);

  Rank rank() const { return rank_; }
  Count size() const { return size_; }
  const ByRank<Count>& nodes() const { return nodes_; }

  // The ranks of this rank's node, where ranks share memory; null: none do, as `no_sharing` says.
  SharedCommunicator* node() const { return node_.get(); }
  const std::string& no_sharing() const { return no_sharing_; }
  bool all_share_memory() const { return node_ && node_->size() == size_; }
  const ByRank<Rank>& places() const { return places_; }  // of each rank in this rank's node; -1: it is on another

  // The user's communicator. Throws Error{misuse} if it has been freed.
  MPI_Comm handle() const {
    if (is_freed()) throw_freed();
    return users_;
  }
  bool is_freed() const { return is_freed_.load(std::memory_order_relaxed); }

  // Collective, by shared memory if all ranks share it, else over the user's communicator.
  void barrier();
  void all_gather(const void* mine, void* all, Bytes count);

  // Collective: where a new plan's messages go.
  Lease lease() { return process_->contexts().lease(*this); }

  MpiProcess& process() const { return *process_; }
  const Waiter& waiter() const { return waiter_; }
  const std::shared_ptr<InFlight>& in_flight() const { return in_flight_; }
  MpiStarts& starts() { return starts_; }

 private:
  // The attribute of a user's communicator.
  struct Kept {
    std::shared_ptr<MpiGroup> group;
    std::shared_ptr<Calls> calls;  // null: there was no call yet
  };
  static Kept* attribute_of(MPI_Comm users);
  [[noreturn]] static void throw_freed();
  bool meet_again();
  void meet_first(Communicator& ranks);
  Progress progress() const;
  void take(Met met);

  const std::shared_ptr<MpiProcess> process_;
  const MPI_Comm users_;
  std::atomic<bool> is_freed_{false};
  Rank rank_ = 0;
  Count size_ = 1;
  const std::shared_ptr<InFlight> in_flight_ = InFlight::of_process();
  Waiter waiter_;
  MpiStarts starts_;
  ByRank<Count> nodes_;
  std::unique_ptr<SharedCommunicator> node_;
  std::string no_sharing_;
  ByRank<Rank> places_;
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// What this library knows about one MPI communicator of the user. An MpiGroup is an attribute of the MPI communicator. So all
// Communicator objects over this MPI communicator share one MpiGroup, and the ranks meet only when the first of these objects is
// made. Plans own a reference to the MpiGroup.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "execute/executions/in_flight.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/mpi_process.hpp"
#include "execute/shared/meet.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class MpiGroup;

// Checks that the ranks of an MPI communicator start plans in the same order. The check needs additional messages, so it is done
// only on demand: with QUADRILLE_CHECK=1 in the environment all ranks compare before each start.
class MpiStarts final : public Starts {
 public:
  explicit MpiStarts(MpiGroup& group);

  // Does the environment of this rank ask for the check? If a launcher passes the variable to some ranks only, all ranks compare.
  static bool asked_to_compare();
  void set_compares(bool compares) { compares_ = compares; }

  // Do the ranks compare their starts? Equal on all ranks.
  bool compares() const { return compares_; }

  void begin(std::uint32_t plan) override;
  const std::shared_ptr<InFlight>& in_flight() const override;
  bool may_advance_in_background() const override;
  void give_core_away() const override;
  void begin_barrier() { begin(barrier); }

 private:
  void compare(std::uint32_t plan);

  MpiGroup& group_;
  const std::atomic<bool>& has_ended_;
  bool compares_ = false;
};

class MpiGroup {
 public:
  // Returns the group that is kept with the communicator; null if there is none yet, or if the group has failed.
  static std::shared_ptr<MpiGroup> kept_with(MPI_Comm users);

  MpiGroup(MPI_Comm users, std::shared_ptr<MpiProcess> process);
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  // Collective: lets the ranks meet, and keeps the group with the user's communicator. `ranks` is a Communicator over this group,
  // by which the ranks communicate while they meet.
  static void meet(const std::shared_ptr<MpiGroup>& group, Communicator& ranks);

  // Returns the plans that typed calls have made (Calls). These plans are kept with the communicator; the first call makes the
  // object by `make`. The group does not own these plans, because plans own the group. Returns null if the user's communicator
  // has been freed, or now has another group.
  std::shared_ptr<Calls> calls(const std::function<std::shared_ptr<Calls>()>& make) const;

  // The attribute's delete callback: MPI calls it in MPI_Comm_free of the user's communicator.
  static int forget(MPI_Comm, int, void* kept, void*);

  Rank rank() const { return rank_; }
  Count size() const { return size_; }
  const ByRank<Count>& nodes() const { return nodes_; }
  Count cores() const { return cores_; }  // on which the ranks of this rank's node may run

  // The communicator of this rank's node, whose ranks share memory. If no ranks share memory, it is null, and no_sharing() says
  // why.
  SharedCommunicator* node() const { return node_.get(); }
  const std::string& no_sharing() const { return no_sharing_; }
  bool all_share_memory() const { return node_ && node_->size() == size_; }
  const ByRank<Rank>& places() const { return places_; }  // by rank: its number in this rank's node, or -1 if it is on another node

  // The user's communicator. Throws Error{misuse} if it has been freed.
  MPI_Comm handle() const {
    if (is_freed()) throw_freed();
    return users_;
  }
  bool is_freed() const { return is_freed_.load(std::memory_order_relaxed); }

  // Collective. Both functions use shared memory if all ranks share it, else the user's communicator.
  void barrier();
  void all_gather(const void* mine, void* all, Bytes count);
  void broadcast(void* data, Bytes count, Rank from);

  // Collective: returns the communicator and the first of `tags` tags for the messages of a new plan or exchange.
  Lease lease(int tags = 1) { return process_->contexts().lease(*this, tags); }

  MpiProcess& process() const { return *process_; }
  Progress progress() const;  // for the waits of ranks that share memory
  const Waiter& waiter() const { return waiter_; }
  const std::shared_ptr<InFlight>& in_flight() const { return in_flight_; }
  MpiStarts& starts() { return starts_; }

 private:
  // The value of the attribute.
  struct Kept {
    std::shared_ptr<MpiGroup> group;
    std::shared_ptr<Calls> calls;  // null before the first call without a plan
  };
  static Kept* attribute_of(MPI_Comm users);
  [[noreturn]] static void throw_freed();
  bool meet_again();
  void meet_first(Communicator& ranks);
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
  Count cores_ = 1;
  std::unique_ptr<SharedCommunicator> node_;
  std::string no_sharing_;
  ByRank<Rank> places_;
};

// Collective: makes exchanges among the ranks of several nodes (far_edges.cpp). Throws on all ranks or on none.
std::unique_ptr<Executable> prepare_nodes_exchange(MpiGroup& group);

}  // namespace quadrille

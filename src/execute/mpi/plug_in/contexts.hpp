// SPDX-License-Identifier: BSD-3-Clause
// MPI contexts: private duplicates of the user's communicators, in which the messages of plans meet no others. They are scarce
// (MPICH has 2,046 for a whole program), and making one takes long, so that there is one only where a plan needs it, and it is kept
// for the next plan.
//
// A context belongs to one group of ours at a time, while that has a plan with a lease of it. So groups whose collectives run in
// different threads never meet in one. After that the context may serve any group of the same processes in the same order.
//
// Which context a plan leases is agreed among its ranks each time: each proposes one that it has, and if all propose the same it is
// taken. So a rank may drop an idle one at any time by itself.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "execute/mpi/plug_in/lease.hpp"

namespace quadrille {

class MpiGroup;

class ContextPool {
 public:
  static constexpr std::size_t most = 256;  // at a time, in this process

  // Collective over `group`, also if it throws: Error{misuse} if the user's communicator is gone, Error{environment} if a rank has
  // the most contexts and plans use all of them.
  Lease lease(MpiGroup& group);

  // The user's communicator is about to be freed. Frees its idle contexts that have processes of other worlds (MPI_Comm_spawn,
  // MPI_Comm_connect): while one exists, MPI regards those processes as connected. One in use is freed later, to make room.
  void forget(const MpiGroup& group);

  // When nobody has a lease any more.
  void free_all();

 private:
  struct Context {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    std::uint64_t id = 0;    // the same on all its ranks, and no other context's
    int tags = 0;            // that have been taken, as far as this rank knows
    std::uint64_t used = 0;  // a count of leases: when it was leased last
    bool spans_worlds = false;
    const MpiGroup* user = nullptr;  // the group that has leases, if any has
  };
  // Each lease holds a reference. References are added with the lock only, so a count of 1 seen with the lock means idle.
  using Entry = std::shared_ptr<Context>;
  static bool is_idle(const Entry& entry) { return entry.use_count() == 1; }

  // Reserves room for one more context as long as it exists.
  struct Place {
    explicit Place(ContextPool& all) : pool(all) {}
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ContextPool& pool;
  };

  Entry propose(const MpiGroup& group, MPI_Group members);
  bool reserve();
  Entry make(const MpiGroup& group, MPI_Group members, std::uint64_t id);
  void drop_idle();
  static void free(Context* context);

  std::mutex mutex_;  // for all that follows, but held while nobody waits for other ranks
  std::vector<Entry> entries_;
  std::size_t reserved_ = 0;
  std::uint64_t leases_ = 0;
};

}  // namespace quadrille

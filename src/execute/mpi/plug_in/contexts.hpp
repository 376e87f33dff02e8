// SPDX-License-Identifier: BSD-3-Clause
// A pool of MPI contexts: private duplicates of the user's communicators, so that messages of plans cannot match other messages.
// Contexts are scarce (MPICH has 2,046 for a whole program), and making one takes long. So a context is made only when a plan needs
// it, and is kept for later plans.
//
// A plan leases a context. While an MpiGroup has a plan with a lease, the context serves this group only; so groups whose
// collectives run in different threads never share one. After that, the context may serve any group of the same processes in the
// same order.
//
// The ranks of a plan agree on the context at each lease: each rank proposes one that it has, and if all propose the same, it is
// used. Otherwise they make a new one. So any rank may free an idle context at any time without telling the others.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "execute/mpi/plug_in/mpi_calls.hpp"

namespace quadrille {

class MpiGroup;

// The MPI_Group of a communicator; the destructor frees it.
class Members {
 public:
  explicit Members(MPI_Comm communicator) { check_mpi(MPI_Comm_group(communicator, &group_), "MPI_Comm_group"); }
  ~Members() {
    if (group_ != MPI_GROUP_NULL) MPI_Group_free(&group_);
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  MPI_Group get() const { return group_; }
  MPI_Group release() { return std::exchange(group_, MPI_GROUP_NULL); }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

class ContextPool {
 public:
  static constexpr std::size_t most = 256;  // limit of contexts at a time in this process

  // Collective over `group`: leases `count` tags that follow each other. Throws on all ranks or on none (unless MPI fails):
  // Error{misuse} if the user's communicator has been freed, Error{environment} if a rank has `most` contexts and plans use all of
  // them.
  Lease lease(MpiGroup& group, int count = 1);

  // Call it before the user's communicator is freed. Frees the group's idle contexts that contain processes of other worlds
  // (MPI_Comm_spawn, MPI_Comm_connect), because MPI regards these processes as connected as long as such a context exists. A
  // context in use is freed later, when room is needed.
  void forget(const MpiGroup& group);

  // Frees all contexts. Call it when nobody has a lease any more.
  void free_all();

 private:
  struct Context {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    std::uint64_t id = 0;    // the same on all ranks of the context, and unique
    int tags = 0;            // how many tags have been used, as far as this rank knows
    std::uint64_t used = 0;  // the number of its last lease; the smallest is the least recently used
    bool spans_worlds = false;
    const MpiGroup* user = nullptr;  // the group whose plans have leases, or null
  };
  // Each lease holds a reference. References are added only with the lock held, so a use count of 1, read with the lock held, means
  // idle.
  using Entry = std::shared_ptr<Context>;
  static bool is_idle(const Entry& entry) { return entry.use_count() == 1; }

  // Reserves room for one more context for the lifetime of this object.
  struct Place {
    explicit Place(ContextPool& all) : pool(all) {}
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ContextPool& pool;
  };

  Entry propose(const MpiGroup& group, MPI_Group members, int count);
  bool reserve();
  Entry make(const MpiGroup& group, MPI_Group members, std::uint64_t id);
  void drop_idle();
  static void free(Context* context);

  std::mutex mutex_;  // for the members below; never held while waiting for other ranks
  std::vector<Entry> entries_;
  std::size_t reserved_ = 0;
  std::uint64_t leases_ = 0;
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// The data that a process has once for all MPI communicators: the means to drive MPI's progress, the flag that MPI
// has been finalised, the key of the attribute by which communicators keep an MpiGroup, the pool of contexts, and
// the known ranks (meet.hpp).
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/shared/meet.hpp"

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

// A pool of MPI contexts: private duplicates of the user's communicators, so that messages of plans cannot match other messages.
// Contexts are scarce (MPICH has 2,046 for a whole program), and making one takes long. So a context is made only when a plan needs
// it, and is kept for later plans.
//
// A plan leases a context. While an MpiGroup has a plan with a lease, the context serves this group only. So groups whose
// collectives run in different threads never share a context. When no plan has a lease, the context may serve any group with the
// same processes in the same order.
//
// The ranks of a plan agree on the context at each lease: each rank proposes a context that it has. If all propose the same
// context, they use it; otherwise they make a new one. So a rank may free an idle context at any time without telling the others.
class ContextPool {
 public:
  static constexpr std::size_t most = 256;  // limit of contexts that exist at a time in this process

  // Collective over `group`: leases `count` consecutive tags. Throws on all ranks or on none (unless MPI fails): Error{misuse} if
  // the user's communicator has been freed, Error{environment} if a rank has `most` contexts and all of them are in use.
  Lease lease(MpiGroup& group, int count = 1);

  // Call it before the user's communicator is freed. Frees the group's idle contexts that contain processes of other worlds
  // (MPI_Comm_spawn, MPI_Comm_connect), because MPI regards these processes as connected as long as such a context exists. A
  // context that is in use is freed later, when the pool needs room.
  void forget(const MpiGroup& group);

  // Frees all contexts. Call it when no plan has a lease any more.
  void free_all();

 private:
  struct Context {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    std::uint64_t id = 0;    // unique, and equal on all ranks of the context
    int tags = 0;            // how many tags have been used, as far as this rank knows
    std::uint64_t used = 0;  // the number of its last lease; the context with the smallest is the least recently used one
    bool spans_worlds = false;
    const MpiGroup* user = nullptr;  // the group whose plans have leases, or null
  };
  // Each lease holds a reference. References are added only with the lock held. So if the use count is 1, read with the lock
  // held, the context is idle.
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

class MpiProcess {
 public:
  // Returns the object of this process; the first call makes it. After MPI_Init it is kept until MPI_Finalize. In a program that
  // has only sessions, the object is destroyed with its last owner, because MPI does not tell when a session ends.
  static std::shared_ptr<MpiProcess> current();

  MpiProcess();
  ~MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  // Drives MPI's progress once, if this thread may call MPI. Returns whether the call has yielded the core. Used as Progress::poll.
  // Does nothing after MPI_Finalize or in a forked child.
  static bool poll();
  static bool polls_of_driven_yield();  // Progress::polls_yield

  // Was this process forked after this library first used MPI? Such a child must not call MPI.
  static bool was_forked();

  // May several threads call MPI at the same time?
  bool serves_many_threads() const { return many_threads_; }

  // Makes `poll` drive MPI from now on. `users` is any communicator that this process belongs to.
  void drive(MPI_Comm users);

  // Does the MPI library yield the core in each poll that finds nothing? False until the answer is known.
  bool polls_yield() const { return polls_yield_; }

  // Can this process remember that the ranks of `users` have met (KnownRanks)? False if several threads may make communicators at
  // the same time, because ranks could remember groups in different orders. False if the process remembers `most_known_ranks`
  // groups already. Also false if `users` has processes of other worlds, because such processes may end before this one.
  bool can_remember(MPI_Comm users) const;
  void remember(MPI_Comm users, std::shared_ptr<const KnownRanks> known_ranks);

  // Looks for known ranks that include all ranks of a communicator. `members` are the numbers of these ranks among the known
  // ones. Returns nothing if there are no such known ranks.
  struct Known {
    std::shared_ptr<const KnownRanks> known_ranks;
    std::vector<Rank> members;
  };
  std::optional<Known> known(MPI_Comm users) const;

  int group_key() const { return group_key_; }
  ContextPool& contexts() { return contexts_; }

 private:
  static constexpr std::size_t most_known_ranks = 64;
  static int note_end(MPI_Comm, int, void*, void*);
  void end();
  void stop_driving();

  bool may_poll_here() const;  // may this thread call MPI?

  const bool has_world_;  // MPI_Init was called: there are MPI_COMM_WORLD and MPI_COMM_SELF
  const std::thread::id made_by_ = std::this_thread::get_id();
  bool any_thread_ = false;    // any thread may call MPI, not only the main thread
  bool many_threads_ = false;  // several threads may call MPI at the same time
  bool polls_yield_ = false;
  int group_key_ = MPI_KEYVAL_INVALID;
  MPI_Comm alone_ = MPI_COMM_NULL;        // a communicator of this process only
  MPI_Request never_ = MPI_REQUEST_NULL;  // a receive in alone_ that never completes
  std::atomic<bool> is_driven_{false};    // stored with release after alone_ and never_ are set
  ContextPool contexts_;
  std::vector<std::pair<MPI_Group, std::shared_ptr<const KnownRanks>>> known_ranks_;
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/contexts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/mpi/plug_in/group.hpp"
#include "execute/process_events.hpp"
#include "foundation/assert.hpp"

namespace quadrille {
namespace {

constexpr int highest_tag = 32767;  // MPI guarantees this tag; after so many plans a group leases another context

bool are_the_same(MPI_Group a, MPI_Group b) {
  int result = MPI_UNEQUAL;
  check_mpi(MPI_Group_compare(a, b, &result), "MPI_Group_compare");
  return result == MPI_IDENT;
}

// Does the group have processes outside MPI_COMM_WORLD? Returns false in programs that have only sessions, where this is not known.
bool span_worlds(MPI_Group members) {
  int has_world = 0;
  MPI_Initialized(&has_world);
  if (!has_world) return false;
  const Members world(MPI_COMM_WORLD);
  MPI_Group others = MPI_GROUP_NULL;
  int count = 0;
  check_mpi(MPI_Group_difference(members, world.get(), &others), "MPI_Group_difference");
  check_mpi(MPI_Group_size(others, &count), "MPI_Group_size");
  if (others != MPI_GROUP_EMPTY) MPI_Group_free(&others);
  return count > 0;
}

}  // namespace

Lease ContextPool::lease(MpiGroup& group, int count) {
  struct Proposal {
    std::uint64_t id;      // of a context that this rank has; 0 if it has none
    std::uint64_t new_id;  // id of the context that is made if they do not agree; rank 0's counts
    int tags;
    bool has_room;  // may this rank make one more?
  };
  std::optional<Members> members;
  std::optional<Place> place;
  Entry entry;
  const auto proposals = gathered_or_thrown(group, [&] {
    members.emplace(group.handle());
    if (reserve()) place.emplace(*this);
    entry = propose(group, members->get(), count);
    return Proposal{entry ? entry->id : 0, random_id(), entry ? entry->tags : 0, place.has_value()};
  });
  const bool agreed = std::all_of(proposals.begin(), proposals.end(),
                                  [&](const Proposal& each) { return each.id != 0 && each.id == proposals[0].id; });
  int tags = 0;
  if (agreed) {
    for (const Proposal& each : proposals) tags = std::max(tags, each.tags);
  } else {
    for (Rank rank = 0; rank < group.size(); ++rank)
      if (!proposals[rank].has_room)
        throw Error(ErrorCode::environment,
                    fmt::format("rank {} has plans for MPI messages, or of MPI's own collectives, over {} communicators, and can "
                                "have no more; destroy all such plans of one of them, or plan for shared memory",
                                rank, most));
    entry.reset();  // no longer in use, so that it can be freed if room is needed
    entry = make(group, members->get(), proposals[0].new_id);
    members->release();
  }
  const std::lock_guard lock(mutex_);
  QUADRILLE_ASSERT(entry && tags >= 0 && tags <= highest_tag - count);
  entry->tags = tags + count;
  entry->used = ++leases_;
  return {entry->communicator, tags + 1, entry};
}

// Returns the context that the group uses; else the most recently used idle context of the same processes; else null.
ContextPool::Entry ContextPool::propose(const MpiGroup& group, MPI_Group members, int count) {
  const std::lock_guard lock(mutex_);
  const Entry* best = nullptr;
  bool best_is_own = false;
  for (const Entry& entry : entries_) {
    if (entry->tags > highest_tag - count) continue;
    const bool is_own = !is_idle(entry) && entry->user == &group;
    if (!is_own && !(is_idle(entry) && are_the_same(entry->members, members))) continue;
    if (best && std::pair(best_is_own, (*best)->used) > std::pair(is_own, entry->used)) continue;
    best = &entry;
    best_is_own = is_own;
  }
  if (!best) return nullptr;
  (*best)->user = &group;
  return *best;
}

// Reserves room for one context. Idle contexts count as room, because they can be freed. Returns false if there is none.
bool ContextPool::reserve() {
  const std::lock_guard lock(mutex_);
  const auto idle = static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_idle));
  if (entries_.size() - idle + reserved_ >= most) return false;
  ++reserved_;
  return true;
}

ContextPool::Place::~Place() {
  const std::lock_guard lock(pool.mutex_);
  --pool.reserved_;
}

// Frees idle contexts, the least recently used first, until there is room. MPI defines MPI_Comm_free as collective, but MPI-3.1
// (6.4.3) expects implementations to make it local, and it is local in Open MPI and MPICH. MPI may reuse the context id only after
// all ranks have freed it.
void ContextPool::drop_idle() {
  while (entries_.size() + reserved_ > most) {
    auto oldest = entries_.end();
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
      if (is_idle(*entry) && (oldest == entries_.end() || (*entry)->used < (*oldest)->used)) oldest = entry;
    if (oldest == entries_.end()) return;  // other threads have leased them: for a while there are more than `most`
    free((*oldest).get());
    entries_.erase(oldest);
  }
}

void ContextPool::free(Context* context) {
  MPI_Group_free(&context->members);
  MPI_Comm_free(&context->communicator);
}

void ContextPool::forget(const MpiGroup& group) {
  if (EndOfMpi::is_over()) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) {
    const bool goes = entry->spans_worlds && entry->user == &group && is_idle(entry);
    if (goes) free(entry.get());
    return goes;
  });
}

void ContextPool::free_all() {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) free(entry.get());
  entries_.clear();
}

// Makes a context by MPI_Comm_idup, so that this rank can yield its core while it waits for the others. A group of one rank has
// nobody to wait for and calls MPI_Comm_dup: in a session of one process MPICH 4.0.2 crashes in the nonblocking call.
ContextPool::Entry ContextPool::make(const MpiGroup& group, MPI_Group members, std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    drop_idle();
  }
  const auto entry = std::make_shared<Context>();
  if (group.size() == 1) {
    check_mpi(MPI_Comm_dup(group.handle(), &entry->communicator), "MPI_Comm_dup");
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Comm_idup(group.handle(), &entry->communicator, &request), "MPI_Comm_idup");
    group.waiter().wait_all(1, &request);
  }
  check_mpi(MPI_Comm_set_errhandler(entry->communicator, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  entry->members = members;
  entry->spans_worlds = span_worlds(members);
  entry->id = id;
  entry->user = &group;
  const std::lock_guard lock(mutex_);
  entries_.push_back(entry);
  return entry;
}

}  // namespace quadrille

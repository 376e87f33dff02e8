// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/group.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/process_events.hpp"
#include "foundation/assert.hpp"
#include "foundation/environment.hpp"
#include "quadrille/error.hpp"
#include "quadrille/types.hpp"

namespace quadrille {
namespace {

// If all ranks together gather fewer bytes, they use an allreduce, which Open MPI runs on a tree, with 2 (p - 1) messages. In
// Open MPI's MPI_Iallgather each rank sends to all others: p (p - 1) messages, and the first gather must make as many
// connections.
constexpr Bytes most_on_tree = Bytes{64} << 10;

int checked_int(Bytes count) {
  if (count > INT_MAX)
    throw Error(ErrorCode::too_large, fmt::format("MPI sends at most {} bytes of a rank at once, not {}", INT_MAX, count));
  return static_cast<int>(count);
}

// With QUADRILLE_NODE_SIZES the user can try on one machine how ranks on several nodes behave. If it is set, returns the first
// rank of this rank's assumed node, as a number in MPI_COMM_WORLD, or in `users` if there are only sessions. Otherwise returns
// -1.
Rank first_rank_of_assumed_node(MPI_Comm users) {
  const std::string sizes = checked_environment_value("QUADRILLE_NODE_SIZES");
  if (sizes.empty()) return -1;
  int has_world = 0, me = 0, ranks = 0;
  MPI_Initialized(&has_world);
  const MPI_Comm all = has_world ? MPI_COMM_WORLD : users;
  check_mpi(MPI_Comm_rank(all, &me), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(all, &ranks), "MPI_Comm_size");
  const char* text = sizes.data();
  const char* const end = text + sizes.size();
  Rank first = 0, found = 0;
  while (first < ranks) {
    Count size = 0;
    const auto [next, error] = std::from_chars(text, end, size);
    const bool is_last = next == end;
    if (error != std::errc{} || size < 1 || size > ranks - first || is_last != (first + size == ranks) ||
        (!is_last && *next != ','))
      throw Error(ErrorCode::environment, refusal_of_value("QUADRILLE_NODE_SIZES", sizes));
    if (me >= first) found = first;
    first += size;
    text = next + 1;
  }
  return found;
}

}  // namespace

// ---- Starts

bool MpiStarts::asked_to_compare() { return tolerated_environment_value("QUADRILLE_CHECK") == "1"; }

MpiStarts::MpiStarts(MpiGroup& group) : group_(group), has_ended_(EndOfMpi::over()) {}

void MpiStarts::begin(std::uint32_t plan) {
  if (has_ended_.load(std::memory_order_relaxed)) throw_ended();
  check_not_forked();
  if (compares_ && !group_.is_freed()) compare(plan);
}

const std::shared_ptr<InFlight>& MpiStarts::in_flight() const { return group_.in_flight(); }

bool MpiStarts::may_advance_in_background() const { return group_.process().serves_many_threads(); }

void MpiStarts::give_core_away() const {
  if (!MpiProcess::poll()) sched_yield();
}

void MpiStarts::compare(std::uint32_t plan) {
  std::vector<std::uint32_t> plans(static_cast<std::size_t>(group_.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(PMPI_Iallgather(&plan, 1, MPI_UINT32_T, plans.data(), 1, MPI_UINT32_T, group_.handle(), &request), "MPI_Iallgather");
  group_.waiter().wait_all(1, &request);
  const auto other = std::find_if(plans.begin(), plans.end(), [&](std::uint32_t each) { return each != plans.front(); });
  if (other == plans.end()) return;
  throw Error(ErrorCode::misuse, fmt::format("rank 0 starts {} where rank {} starts {}, so they would wait for each other; start "
                                             "plans in the same order on all ranks",
                                             call_of(plans.front()), other - plans.begin(), call_of(*other)));
}

// ---- The group

MpiGroup::Kept* MpiGroup::attribute_of(MPI_Comm users) {
  void* kept = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(users, MpiProcess::current()->group_key(), &kept, &found), "MPI_Comm_get_attr");
  return found ? static_cast<Kept*>(kept) : nullptr;
}

// A failed group is replaced only if all ranks see the failure. If there are several nodes, ranks of other nodes may not see it,
// so the group is kept.
std::shared_ptr<MpiGroup> MpiGroup::kept_with(MPI_Comm users) {
  const Kept* const kept = attribute_of(users);
  if (!kept || (kept->group->all_share_memory() && kept->group->node_->space()->has_failed())) return nullptr;
  return kept->group;
}

std::shared_ptr<Calls> MpiGroup::calls(const std::function<std::shared_ptr<Calls>()>& make) const {
  Kept* const kept = is_freed() ? nullptr : attribute_of(users_);
  if (!kept || kept->group.get() != this) return nullptr;
  if (!kept->calls) kept->calls = make();
  return kept->calls;
}

MpiGroup::MpiGroup(MPI_Comm users, std::shared_ptr<MpiProcess> process)
    : process_(std::move(process)), users_(users), starts_(*this) {
  int rank = 0, size = 1;
  check_mpi(MPI_Comm_rank(users, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(users, &size), "MPI_Comm_size");
  QUADRILLE_ASSERT(rank >= 0 && rank < size);
  rank_ = rank;
  size_ = size;
  process_->drive(users);
}

bool MpiGroup::meet_again() {
  const auto known = process_->known(users_);
  if (!known) return false;
  const auto broadcast = [&](void* data, Bytes bytes) {
    check_mpi(PMPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, users_), "MPI_Bcast");
  };
  Met met{.nodes = ByRank<Count>(size_, 0), .any_compares = known->known_ranks->any_compares};
  met.node = quadrille::meet_again(*known->known_ranks, known->members, rank_, broadcast, progress());
  if (!met.node) return false;
  met.cores = met.node->cores();
  take(std::move(met));
  return true;
}

Progress MpiGroup::progress() const {
  return {.poll = MpiProcess::poll,
          .polls_yield = MpiProcess::polls_of_driven_yield,
          .ended = &EndOfMpi::over(),
          .in_flight = in_flight_};
}

void MpiGroup::meet_first(Communicator& ranks) {
  AboutRank about{.compares_starts = MpiStarts::asked_to_compare(), .keeps = process_->can_remember(users_)};
  std::optional<Error> why;
  try {
    about.assumed_node = first_rank_of_assumed_node(users_);
  } catch (const Error& error) {
    why = error;
    about.is_wrong = true;  // not thrown here: all ranks must take part in the gather below; after it all throw
  }
  Met met = quadrille::meet(ranks, about, {}, progress());
  if (why) throw Error(*why);
  if (met.first_wrong)
    throw ErrorElsewhere(
        ErrorCode::environment,
        fmt::format("rank {} does not know its node: its QUADRILLE_NODE_SIZES do not add up to the ranks", *met.first_wrong));
  if (met.known_ranks) process_->remember(users_, met.known_ranks);
  take(std::move(met));
}

void MpiGroup::meet(const std::shared_ptr<MpiGroup>& group, Communicator& ranks) {
  if (!group->meet_again()) group->meet_first(ranks);
  if (Kept* const failed = attribute_of(group->users_)) {
    failed->group->is_freed_.store(true, std::memory_order_relaxed);  // MPI will not call `forget` for the failed group
    *failed = {group, nullptr};
    return;
  }
  auto kept = std::make_unique<Kept>(Kept{group, nullptr});
  check_mpi(MPI_Comm_set_attr(group->users_, group->process_->group_key(), kept.get()), "MPI_Comm_set_attr");
  kept.release();  // `forget` deletes it
}

void MpiGroup::take(Met met) {
  nodes_ = std::move(met.nodes);
  cores_ = met.cores;
  node_ = std::move(met.node);
  no_sharing_ = std::move(met.no_sharing);
  starts_.set_compares(met.any_compares);
  QUADRILLE_ASSERT(quadrille::size(nodes_) == size_);
  QUADRILLE_ASSERT(std::all_of(nodes_.begin(), nodes_.end(), [&](Count node) { return node >= 0 && node < size_; }));
  const Count own = nodes_[rank_];
  Count members = 0;
  for (const Count node : nodes_) places_.push_back(node == own ? members++ : -1);
  QUADRILLE_ASSERT(!node_ || (node_->size() == members && node_->rank() == places_[rank_]));
  const bool core_for_every_rank = members <= cores_;
  waiter_ = Waiter(process_->polls_yield(), core_for_every_rank, *in_flight_);
  starts_.set_shares_cores(!core_for_every_rank);
}

int MpiGroup::forget(MPI_Comm, int, void* kept, void*) {
  const std::unique_ptr<Kept> attribute(static_cast<Kept*>(kept));
  attribute->calls.reset();  // before the group, so that its plans return their contexts
  MpiGroup& group = *attribute->group;
  group.is_freed_.store(true, std::memory_order_relaxed);
  group.process_->contexts().forget(group);
  return MPI_SUCCESS;
}

void MpiGroup::throw_freed() {
  throw Error(ErrorCode::misuse,
              "the MPI communicator has been freed; make plans for messages, and use communicators whose ranks do not all share "
              "memory, before MPI_Comm_free");
}

void MpiGroup::barrier() {
  starts_.begin_barrier();
  if (all_share_memory()) return node_->barrier();
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(PMPI_Ibarrier(handle(), &request), "MPI_Ibarrier");
  waiter_.wait_all(1, &request);
}

void MpiGroup::all_gather(const void* mine, void* all, Bytes count) {
  starts_.begin_barrier();
  if (all_share_memory()) return node_->all_gather(mine, all, count);
  if (size_ == 1) {
    std::memcpy(all, mine, index(count));
    return;
  }
  const int bytes = checked_int(count);
  if (nodes_.empty()) {  // the ranks are meeting: nothing is in flight. Blocking takes a third of the time of MPI_Iallgather.
    check_mpi(PMPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, handle()), "MPI_Allgather");
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (count < most_on_tree / size_) {  // the parts of other ranks are 0 here; the allreduce combines all parts
    std::byte* const own = static_cast<std::byte*>(all) + rank_ * count;
    std::memmove(own, mine, index(count));
    std::memset(all, 0, index(rank_ * count));
    std::memset(own + count, 0, index((size_ - rank_ - 1) * count));
    check_mpi(PMPI_Iallreduce(MPI_IN_PLACE, all, bytes * static_cast<int>(size_), MPI_BYTE, MPI_BOR, handle(), &request),
              "MPI_Iallreduce");
  } else {
    check_mpi(PMPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, handle(), &request), "MPI_Iallgather");
  }
  waiter_.wait_all(1, &request);
}

void MpiGroup::broadcast(void* data, Bytes count, Rank from) {
  starts_.begin_barrier();
  if (all_share_memory()) return node_->broadcast(data, count, from);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(PMPI_Ibcast(data, checked_int(count), MPI_BYTE, static_cast<int>(from), handle(), &request), "MPI_Ibcast");
  waiter_.wait_all(1, &request);
}

}  // namespace quadrille

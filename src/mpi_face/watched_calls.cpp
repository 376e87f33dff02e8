// SPDX-License-Identifier: BSD-3-Clause
// What a rank shows to watchers of each collective, and how ranks compare their calls.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "foundation/hash.hpp"
#include "mpi_face/counting.hpp"
#include "mpi_face/datatype.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/world.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr bool is_rooted_function(Function function) {
  return function == Function::Bcast || function == Function::Reduce || function == Function::Gather ||
         function == Function::Gatherv || function == Function::Scatter || function == Function::Scatterv;
}

// Are the type and the counts on this side of an irregular call significant on this rank?
bool sends(const MpiCall& call, bool is_root) {
  return call.send.buffer != MPI_IN_PLACE && (call.function != Function::Scatterv || is_root);
}
bool receives(const MpiCall& call, bool is_root) {
  return call.receive.buffer != MPI_IN_PLACE && (call.function != Function::Gatherv || is_root);
}

// Returns the index of the operator's name in ring_operations.
std::int32_t code_of(MPI_Op operation) {
  if (operation == MPI_OP_NULL) return 0;
  static const HandleMap<MPI_Op, std::int32_t> codes({{MPI_MAX, 2},
                                                      {MPI_MIN, 3},
                                                      {MPI_SUM, 4},
                                                      {MPI_PROD, 5},
                                                      {MPI_LAND, 6},
                                                      {MPI_BAND, 7},
                                                      {MPI_LOR, 8},
                                                      {MPI_BOR, 9},
                                                      {MPI_LXOR, 10},
                                                      {MPI_BXOR, 11},
                                                      {MPI_MAXLOC, 12},
                                                      {MPI_MINLOC, 13},
                                                      {MPI_REPLACE, 14}});
  const std::int32_t* const code = codes.find(operation);
  return code ? *code : 1;
}

// A hash of a block of an irregular call.
constexpr std::uint64_t block_hash(Rank from, Rank to, Bytes bytes) {
  const auto ends = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  return bytes == 0 ? 0 : hash_with(ends, static_cast<std::uint64_t>(bytes));
}

// The hashes of all blocks that the rank sends in an irregular call, minus those of all that it receives. If each block is received
// with the size with which it is sent, the sum over all ranks is 0.
std::uint64_t sum_of_blocks(const KnownCommunicator& known, const MpiCall& call) {
  const bool in_place = call.send.buffer == MPI_IN_PLACE, is_root = known.rank == call.root;
  const Bytes sent = sends(call, is_root) ? facts_of(call.send.type).size : 0;
  const Bytes received = receives(call, is_root) ? facts_of(call.receive.type).size : 0;
  const Bytes own = call.send.count * sent, place_of_own = call.receive.count * received;
  std::uint64_t sum = 0;
  for (Rank other = 0; other < known.ranks; ++other) {
    if (call.function == Function::Alltoallv) {
      const Bytes from_other = call.receive.counts[other] * received;
      sum += block_hash(known.rank, other, in_place ? from_other : call.send.counts[other] * sent) -
             block_hash(other, known.rank, from_other);
    } else if (call.function == Function::Allgatherv) {
      const Bytes mine = in_place ? call.receive.counts[known.rank] * received : own;
      sum += block_hash(known.rank, other, mine) - block_hash(other, known.rank, call.receive.counts[other] * received);
    } else if (other == known.rank) {
      if (call.function == Function::Gatherv && !is_root) sum += block_hash(other, call.root, own);
      if (call.function == Function::Scatterv && !is_root) sum -= block_hash(call.root, other, place_of_own);
    } else if (is_root) {
      if (call.function == Function::Gatherv) sum -= block_hash(other, known.rank, call.receive.counts[other] * received);
      if (call.function == Function::Scatterv) sum += block_hash(known.rank, other, call.send.counts[other] * sent);
    }
  }
  return sum;
}

}  // namespace

// On how many nodes does the communicator have ranks that can compare calls in messages: none, one or several (2)? Collective in
// the first call.
int Counting::nodes_that_compare(CommunicatorState& state, bool has_identity) {
  const KnownCommunicator& known = state.communicator();
  if (!World::get().checks_everywhere() || known.is_inter || !known.is_of_one_world()) return 0;
  std::atomic<int>& nodes = state.counted().nodes_that_compare;
  if (nodes.load(std::memory_order_relaxed) < 0)
    nodes.store(World::nodes_that_are_ready(known.handle, has_identity), std::memory_order_relaxed);
  return nodes.load(std::memory_order_relaxed);
}

// Compares the call with those of the other ranks: by the node's table, and before blocking calls by reductions of the MPI library,
// between nodes and for blocks of different sizes. A rank whose call does not match does not run it: its watcher ends the program.
void Counting::check(CommunicatorState& state, const RingEntry& noted, const MpiCall& call) noexcept {
  const bool has_identity = noted.communicator != RingEntry::no_communicator;
  const std::uint64_t members = has_identity ? record_.members_hash(static_cast<int>(noted.communicator & 0xFFFF)) : 0;
  const bool is_irregular = is_irregular_function(call.function);
  std::uint64_t hash = hash_with(noted.function, static_cast<std::uint64_t>(noted.root));
  hash = hash_with(hash, static_cast<std::uint64_t>(noted.operation));
  if (noted.bytes >= 0 && !is_irregular) hash = hash_with(hash, static_cast<std::uint64_t>(noted.bytes));
  const auto element = static_cast<std::uint8_t>(noted.element < 0 ? 0 : 1 + noted.element % 255);
  bool is_right = members == 0 || checks_->agrees(hash_with(members, noted.communicator >> 16) | 1, noted.number,
                                                  static_cast<std::uint32_t>(hash), element);
  const bool is_blocking = call.function == static_cast<Function>(noted.function) && !is_neighbourhood(call.function);
  const int nodes = is_right && is_blocking ? nodes_that_compare(state, members != 0) : 0;
  const KnownCommunicator& known = state.communicator();
  if (nodes == 2) {
    constexpr std::uint64_t elements = 256;
    std::uint64_t most[] = {hash, ~hash, element, element == 0 ? 0 : elements - element};
    is_right = PMPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_UINT64_T, MPI_MAX, known.handle) != MPI_SUCCESS ||
               (most[0] == ~most[1] && (most[2] == 0 || most[2] == elements - most[3]));
  }
  if (nodes > 0 && is_right && is_irregular && call.function != Function::Alltoallw) {
    std::uint64_t sum = sum_of_blocks(known, call);
    is_right = PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, known.handle) != MPI_SUCCESS || sum == 0;
  }
  if (is_right) return;
  std::atomic_ref(record_.ring().page().mismatch).store(1, std::memory_order_release);
  std::this_thread::sleep_for(std::chrono::seconds(10));
  PMPI_Abort(MPI_COMM_WORLD, 1);  // no watcher has done it
}

void Counting::see_stray(Function function) noexcept {
  Counting* const counting = Settings::get().watch ? get() : nullptr;
  if (!counting || !counting->record_.ring() || counting->record_.ring().page().is_finalising == 0) return;
  counting->record_.ring().begin_collective({.begin_ticks = ticks(),
                                             .site = reinterpret_cast<std::uint64_t>(called_from),
                                             .communicator = RingEntry::no_communicator,
                                             .function = static_cast<std::uint16_t>(function),
                                             .element = RingEntry::none});
}

// Shows the call to watchers, with the arguments that are significant on all ranks. Returns null if there is no memory.
RingEntry* Counting::note(CommunicatorState& state, Function function, const MpiCall& call, std::uint64_t now) noexcept try {
  const CallRing& ring = record_.ring();
  const bool is_of_all = !is_neighbourhood(function);
  const Function form = call.function;
  const bool is_received = call.send.buffer == MPI_IN_PLACE ||
                           ((form == Function::Scatter || form == Function::Scatterv) && call.receive.buffer != MPI_IN_PLACE);
  const Side& side = is_received ? call.receive : call.send;
  RingEntry entry{.begin_ticks = now,
                  .site = reinterpret_cast<std::uint64_t>(called_from),
                  .number = ring.next(state.counted().calls) + 1,
                  .communicator = state.counted().identity.load(std::memory_order_relaxed),
                  .function = static_cast<std::uint16_t>(function),
                  .root = is_rooted_function(form) ? call.root : RingEntry::none,
                  .operation = code_of(call.operation),
                  .element = RingEntry::none};
  if (side.type != MPI_DATATYPE_NULL && !state.communicator().is_inter) {
    const TypeFacts facts = facts_of(side.type);
    // MPI_2INT is two of MPI_INT.
    if (side.type != MPI_BYTE && side.type != MPI_PACKED && side.type != MPI_2INT) entry.element = facts.element.number;
    entry.bytes = side.counts ? RingEntry::blocks_differ : side.count * facts.size;
  }
  if (form == Function::Reduce_scatter || form == Function::Alltoallw || !is_of_all) entry.bytes = RingEntry::blocks_differ;
  // Without data, and where each pair of ranks may have a type of its own, the types need not be equal.
  if (entry.bytes <= 0 || form == Function::Alltoall) entry.element = RingEntry::none;
  CallLists& lists = ring.page().lists;
  lists.number = 0;
  RingEntry& noted = ring.begin_collective(entry);
  const bool has_lists = form == function && is_irregular_function(form) && form != Function::Alltoallw;
  if (has_lists && !state.communicator().is_inter && !ring.is_shared()) {
    const bool is_root = state.communicator().rank == call.root;
    const auto list_of = [](const Side& of) { return reinterpret_cast<std::uint64_t>(of.counts.address()); };
    lists.sent = sends(call, is_root) ? list_of(call.send) : 0;
    lists.received = receives(call, is_root) ? list_of(call.receive) : 0;
    lists.sent_bytes = lists.sent ? static_cast<std::uint32_t>(facts_of(call.send.type).size) : 0;
    lists.received_bytes = lists.received ? static_cast<std::uint32_t>(facts_of(call.receive.type).size) : 0;
    lists.number_bytes = static_cast<std::uint32_t>((call.send.counts ? call.send : call.receive).counts.bytes_each());
    lists.ranks = static_cast<std::uint32_t>(state.communicator().ranks);
    std::atomic_ref(lists.number).store(entry.number, std::memory_order_release);
  }
  if (checks_) check(state, noted, call);
  return &noted;
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace quadrille::mpi_face

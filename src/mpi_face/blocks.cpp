// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/blocks.hpp"

#include <algorithm>

namespace quadrille::mpi_face {
namespace {

using Placing = SideBlocks::Placing;

CallBlocks of_all(const MpiCall& call, Count ranks) {
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  return {SideBlocks::one_each(in_place ? call.receive : call.send, ranks), SideBlocks::one_each(call.receive, ranks), in_place};
}

// Gatherv, and scatterv in the other direction: each rank has one block of its own, and the root has the blocks of all ranks.
std::optional<CallBlocks> with_root(const MpiCall& call, Rank rank, Count ranks) {
  if (call.root < 0 || call.root >= ranks) return std::nullopt;
  const bool gathers = call.function == Function::Gatherv, is_root = rank == call.root;
  const Side &own = gathers ? call.send : call.receive, &all = gathers ? call.receive : call.send;
  const bool in_place = own.buffer == MPI_IN_PLACE;
  if (in_place && !is_root) return std::nullopt;
  CallBlocks blocks{.may_pack = false};
  SideBlocks &of_own = gathers ? blocks.sent : blocks.received, &of_root = gathers ? blocks.received : blocks.sent;
  if (!in_place) of_own = SideBlocks::one(own, call.root);
  if (is_root) of_root = SideBlocks::one_each(all, ranks);
  if (in_place) of_root.leave_out(rank);
  return blocks;
}

std::optional<CallBlocks> with_neighbours(const MpiCall& call, const Neighbourhood* neighbours) {
  if (!neighbours || !neighbours->exists() || call.send.buffer == MPI_IN_PLACE) return std::nullopt;
  const bool has_counts = call.function != Function::Neighbor_allgather && call.function != Function::Neighbor_alltoall;
  const Placing in = has_counts ? Placing::listed : Placing::in_row,
                out = gathers_of_neighbours(call.function) ? Placing::same : in;
  return CallBlocks{SideBlocks::of(call.send, out, neighbours->targets()), SideBlocks::of(call.receive, in, neighbours->sources())};
}

std::optional<CallBlocks> unchecked_blocks_of(const MpiCall& call, Rank rank, Count ranks, const Neighbourhood* neighbours) {
  if (has_root(call.function)) return with_root(call, rank, ranks);
  return is_of_neighbours(call.function) ? with_neighbours(call, neighbours) : of_all(call, ranks);
}

}  // namespace

// A block without elements may have type MPI_DATATYPE_NULL, as MPI libraries allow.
SideBlocks::SideBlocks(const Side& side, Placing place, Rank first, Count size, const Neighbours* neighbours)
    : side_(&side), place_(place), neighbours_(neighbours), first_(first), size_(size) {
  if (!side.types) {
    facts_ = facts_of(side.type);
  } else if (side.counts) {
    const TypeFacts of_nothing{.is_valid = true, .is_plain = true};
    for (Count i = 0; i < size_; ++i)
      each_.push_back(count_of(number_of(i)) == 0 ? of_nothing : facts_of(side.types[number_of(i)]));
  }
}

// A null pointer can be valid: buffers of derived types may be MPI_BOTTOM, which is null.
bool SideBlocks::is_right() const {
  if (size_ == 0) return true;
  if (place_ == Placing::listed && (!side_->counts || !side_->displacements)) return false;
  if (side_->buffer == MPI_IN_PLACE) return false;  // a side in place has no blocks
  for (Count i = 0; i < size_; ++i) {
    const CallBlock block = at(i);
    if (block.count < 0 || !block.facts.is_valid) return false;
    if (block.bytes() > 0 && block.facts.is_plain && !side_->buffer && !side_->types) return false;
  }
  return true;
}

bool SideBlocks::is_plain() const {
  if (each_.empty()) return size_ == 0 || facts_.is_plain;
  return std::all_of(each_.begin(), each_.end(), [](const TypeFacts& facts) { return facts.is_plain; });
}

Bytes SideBlocks::bytes() const {
  Bytes sum = 0;
  for_each([&](const CallBlock& block) { return sum += block.bytes(), MPI_SUCCESS; });
  return sum;
}

std::vector<Bytes> SideBlocks::lengths() const {
  const bool are_same = place_ == Placing::same;
  const Bytes beyond_borders = place_ == Placing::in_row && size_ > 0 ? at(0).bytes() : 0;
  std::vector<Bytes> bytes(index(are_same ? std::min<Count>(size_, 1) : neighbours_ ? neighbours_->blocks : size_), beyond_borders);
  for (Count i = 0; i < size_; ++i) bytes[are_same ? 0 : index(number_of(i))] = at(i).bytes();
  return bytes;
}

std::optional<CallBlocks> blocks_of(const MpiCall& call, Rank rank, Count ranks, const Neighbourhood* neighbours) {
  auto blocks = unchecked_blocks_of(call, rank, ranks, neighbours);
  return blocks && blocks->sent.is_right() && blocks->received.is_right() ? std::move(blocks) : std::nullopt;
}

Bytes block_of_neighbours(const MpiCall& call) {
  if (call.send.counts || call.receive.counts || call.send.count <= 0) return 0;
  const TypeFacts type = facts_of(call.send.type);
  return type.is_valid ? call.send.count * type.size : 0;
}

}  // namespace quadrille::mpi_face

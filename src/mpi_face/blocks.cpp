// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/blocks.hpp"

#include "quadrille/indexed.hpp"

namespace quadrille::mpi_face {
namespace {

CallBlocks of_all(const MpiCall& call, Count ranks) {
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  return {SideBlocks::one_each(in_place ? call.receive : call.send, ranks), SideBlocks::one_each(call.receive, ranks), in_place};
}

// Gatherv, and scatterv in the other direction: each rank has one block of its own, and the root has the blocks of all.
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

}  // namespace

// A null pointer can be valid: buffers of derived types may be MPI_BOTTOM, which is null.
bool SideBlocks::is_right() const {
  if (first_ == end_) return true;
  if (!facts_.is_valid || (has_counts_ && (!side_->counts || !side_->displacements))) return false;
  for (Rank peer = first_; peer < end_; ++peer) {
    if (count_of(peer) < 0) return false;
    if (count_of(peer) * facts_.size > 0 && facts_.is_plain && !side_->buffer) return false;
  }
  return true;
}

Bytes SideBlocks::bytes() const {
  Bytes sum = 0;
  for_each([&](Rank, const std::byte*, Count count) { return sum += count * facts_.size, MPI_SUCCESS; });
  return sum;
}

std::vector<Bytes> SideBlocks::by_rank(Count ranks) const {
  std::vector<Bytes> bytes(index(ranks));
  for (Rank peer = first_; peer < end_; ++peer) bytes[index(peer)] = count_of(peer) * facts_.size;
  return bytes;
}

std::optional<CallBlocks> blocks_of(const MpiCall& call, Rank rank, Count ranks) {
  const auto blocks = has_root(call.function) ? with_root(call, rank, ranks) : std::optional(of_all(call, ranks));
  return blocks && blocks->sent.is_right() && blocks->received.is_right() ? blocks : std::nullopt;
}

}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
// What one rank sends and receives in a call in which each rank knows only its own counts, and which therefore runs as an exchange
// by edges: alltoallv, gatherv and scatterv.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"
#include "quadrille/problem.hpp"

namespace quadrille::mpi_face {

// The collective of a function that runs as an exchange; nothing for the others.
constexpr std::optional<Collective> exchanged_collective(Function function) {
  switch (function) {
    case Function::Alltoallv: return Collective::alltoallv;
    case Function::Gatherv: return Collective::gatherv;
    case Function::Scatterv: return Collective::scatterv;
    default: return std::nullopt;
  }
}
constexpr bool is_exchanged(Function function) { return exchanged_collective(function).has_value(); }

// Do all ranks exchange data with one of them only?
constexpr bool has_root(Function function) { return function == Function::Gatherv || function == Function::Scatterv; }

// One side of a call, as blocks that go to other ranks or come from them.
class SideBlocks {
 public:
  SideBlocks() = default;  // none
  static SideBlocks one(const Side& side, Rank peer) { return {side, false, peer, peer + 1}; }
  static SideBlocks one_each(const Side& side, Count ranks) { return {side, true, 0, ranks}; }

  // The block of this rank stays where it is.
  void leave_out(Rank rank) { left_out_ = rank; }

  bool is_right() const;  // are the arguments valid?
  bool is_plain() const { return first_ == end_ || facts_.is_plain; }
  const TypeFacts& facts() const { return facts_; }
  MPI_Datatype type() const { return side_->type; }
  Bytes bytes() const;
  std::vector<Bytes> by_rank(Count ranks) const;  // bytes of each rank's block, those that stay where they are included

  // Calls visit(peer, memory, count) in the order of the ranks, until a call does not return MPI_SUCCESS. Returns its code.
  template <class Visit>
  int for_each(const Visit& visit) const {
    for (Rank peer = first_; peer < end_; ++peer) {
      if (peer == left_out_) continue;
      if (const int code = visit(peer, memory_of(peer), count_of(peer)); code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }

 private:
  SideBlocks(const Side& side, bool has_counts, Rank first, Rank end)
      : side_(&side), facts_(facts_of(side.type)), has_counts_(has_counts), first_(first), end_(end) {}

  Count count_of(Rank peer) const { return has_counts_ ? side_->counts[peer] : side_->count; }
  std::byte* memory_of(Rank peer) const {
    const Bytes place = has_counts_ ? side_->displacements[peer] * facts_.extent : 0;
    return reinterpret_cast<std::byte*>(side_->buffer) + place;
  }

  const Side* side_ = nullptr;
  TypeFacts facts_;
  bool has_counts_ = false;  // one for each rank, and displacements
  Rank first_ = 0, end_ = 0, left_out_ = -1;
};

// Refers to the call.
struct CallBlocks {
  SideBlocks sent, received;
  bool share_memory = false;  // what is sent lies where it is received: alltoallv in place
  bool may_pack = true;       // Edges::may_pack. Not if there is a root: such a call waits for no ranks but those of its blocks
};

// Returns nothing if this rank's arguments are wrong. Looks at those only that are significant at this rank.
std::optional<CallBlocks> blocks_of(const MpiCall& call, Rank rank, Count ranks);

}  // namespace quadrille::mpi_face

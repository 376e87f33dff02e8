// SPDX-License-Identifier: BSD-3-Clause
// What one rank sends and receives in a call that runs as an exchange by edges (is_exchanged): blocks with their peers, in the
// order of the edges.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/neighbourhood.hpp"
#include "mpi_face/symbols/function.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::mpi_face {

struct CallBlock {
  Rank peer;
  std::byte* memory;
  Count count;
  MPI_Datatype type;
  const TypeFacts& facts;
  Bytes bytes() const { return count * facts.size; }
};

// One side of a call, as blocks that go to other ranks or come from them.
class SideBlocks {
 public:
  // Where the blocks are in the buffer.
  enum class Placing {
    same,    // there is one block, for all peers
    in_row,  // one after the other, all with the same count
    listed,  // with counts and displacements, and perhaps a type for each
  };

  SideBlocks() = default;  // no blocks
  static SideBlocks one(const Side& side, Rank peer) { return {side, Placing::same, peer, 1, nullptr}; }
  static SideBlocks one_each(const Side& side, Count ranks) { return {side, Placing::listed, 0, ranks, nullptr}; }
  static SideBlocks of(const Side& side, Placing place, const Neighbours& neighbours) {
    return {side, place, 0, static_cast<Count>(neighbours.list.size()), &neighbours};
  }

  // The block of this rank is not sent: it stays where it is.
  void leave_out(Rank rank) { left_out_ = rank; }

  bool is_right() const;  // are the arguments valid?
  bool is_plain() const;  // are all types plain?
  bool is_by_rank() const { return !neighbours_; }
  Bytes bytes() const;
  // The bytes of each block of the call, by block number, also of blocks that stay where they are. If all peers share one block,
  // there is one entry.
  std::vector<Bytes> lengths() const;

  // Calls visit(block) for each block, until a call returns an error. Returns this error, or MPI_SUCCESS.
  template <class Visit>
  int for_each(const Visit& visit) const {
    for (Count i = 0; i < size_; ++i) {
      const CallBlock block = at(i);
      if (block.peer == left_out_) continue;
      if (const int code = visit(block); code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }

 private:
  SideBlocks(const Side& side, Placing place, Rank first, Count size, const Neighbours* neighbours);

  Count number_of(Count i) const { return neighbours_ ? neighbours_->list[index(i)].block : i; }
  Count count_of(Count number) const { return place_ == Placing::listed ? side_->counts[number] : side_->count; }
  CallBlock at(Count i) const {
    const Count number = number_of(i), count = count_of(number);
    const TypeFacts& facts = each_.empty() ? facts_ : each_[index(i)];
    const Bytes place = place_ == Placing::same     ? 0
                        : place_ == Placing::in_row ? number * count * facts.extent
                                                    : side_->displacements[number] * (side_->types ? 1 : facts.extent);
    return {neighbours_ ? neighbours_->list[index(i)].rank : first_ + i, reinterpret_cast<std::byte*>(side_->buffer) + place, count,
            side_->types ? side_->types[number] : side_->type, facts};
  }

  const Side* side_ = nullptr;
  Placing place_ = Placing::same;
  TypeFacts facts_;
  std::vector<TypeFacts> each_;  // if the blocks have types of their own
  const Neighbours* neighbours_ = nullptr;
  Rank first_ = 0;  // the peer of the first block, if there are no neighbours
  Count size_ = 0;
  Rank left_out_ = -1;
};

// Refers to the call, and to the neighbours.
struct CallBlocks {
  SideBlocks sent, received;
  bool share_memory = false;  // received blocks replace sent blocks: alltoallv and alltoallw in place
  bool may_pack = true;       // Edges::may_pack. False if there is a root: such a call waits only for the ranks of its blocks
};

// Returns nothing if this rank's arguments are wrong. Reads only arguments that are significant at this rank. `neighbours`: those
// of the communicator, if is_of_neighbours(call.function).
std::optional<CallBlocks> blocks_of(const MpiCall& call, Rank rank, Count ranks, const Neighbourhood* neighbours = nullptr);
inline std::optional<CallBlocks> blocks_of(const MpiCall& call, const KnownCommunicator& communicator) {
  return blocks_of(call, communicator.rank, communicator.ranks, communicator.neighbours_for(call.function));
}

// The bytes that go to each neighbour in a Neighbor_alltoall or Neighbor_allgather; 0 in other calls.
Bytes block_of_neighbours(const MpiCall& call);

}  // namespace quadrille::mpi_face

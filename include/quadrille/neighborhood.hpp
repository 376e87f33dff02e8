// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives: each rank exchanges blocks with the few ranks that it names, its neighbours. Also alltoallw.
//
//   const Neighbors around({.dimensions = {rows, columns}, .periodic = {true, true}}, ranks.rank());  // four neighbours
//   neighbor_alltoall(ranks, around, input, output);   // blocks for and from above, below, left, right
//
// These are the neighbourhood collectives of MPI, on typed memory. A rank has destinations, to which it sends, and sources, from
// which it receives. Both are lists of ranks: block i of the input goes to destination i, block j of the output comes from source
// j. The two lists may differ, repeat a rank, and contain the rank itself. If rank a lists rank b k times as a destination, b
// lists a k times as a source. The i-th block for b in the list of a is the i-th block from a in the list of b. (On a grid the
// order may differ: see Neighbors.) A negative rank in a list means that there is no neighbour: its block has a place in the
// buffer, but is neither read nor written.
//
// All ranks of the group make the call, also those without neighbours, and all make their calls in the same order. The calls run
// as exchanges by edges (exchange.hpp): no plan is made, neighbours may change in every call, and a rank waits for its neighbours
// only. On several nodes it also waits for ranks of its node, as exchange.hpp says. For blocks that are not contiguous see
// alltoallw below.
//
// Buffers and blocks are those of collectives.hpp. Input and output may be parts of one array, but a received block must not
// overlap any other.
//
// Errors: those of `exchange`. Wrong sizes, counts or displacements, overlapping blocks, and a neighbour that is not in the group
// are Error{misuse} at the rank that has them, before it sends anything. In debug builds, and with QUADRILLE_CHECK=1, these
// errors are thrown on all ranks, and the ranks check that all make the same call and that both ends of each block agree on its
// length.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "quadrille/call.hpp"
#include "quadrille/elements.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/typed_call.hpp"

namespace quadrille {

// Ranks that stand on a grid in row-major order: the coordinate in the last dimension changes fastest, as in MPI.
struct CartesianGrid {
  std::vector<Count> dimensions;  // the number of ranks in each
  std::vector<bool> periodic;     // for each dimension: are its first and last ranks neighbours? As in MPI_Cart_create
};

class Neighbors {
 public:
  // Throws Error{too_large} for more than Edges::most sources or destinations.
  Neighbors(std::vector<Rank> sources, std::vector<Rank> destinations);

  // The neighbours of one rank of a grid. Sources and destinations are the same ranks: those before and behind it in dimension 0,
  // then in dimension 1, and so on. At the end of a dimension that is not periodic there is no neighbour. In a periodic dimension
  // of one or two ranks the neighbours before and behind are the same rank. A block that is sent to the neighbour before still
  // arrives as the block from the neighbour behind, and vice versa. Throws Error{misuse} if the grid has no such rank.
  Neighbors(const CartesianGrid& grid, Rank rank);

  const std::vector<Rank>& sources() const { return sources_; }
  const std::vector<Rank>& destinations() const { return destinations_; }

  // The indices of `sources` in the order in which blocks arrive: the k-th block that a rank sends to this rank goes to the k-th
  // of these indices that belongs to the sender.
  const std::vector<std::size_t>& meeting_order() const { return meeting_order_; }

 private:
  std::vector<Rank> sources_, destinations_;
  std::vector<std::size_t> meeting_order_;
};

// These three pass a typed call to the library; programs do not use them. The collective is alltoall(v) or allgather(v).
void execute_among_neighbors(Communicator& ranks, const Neighbors& neighbors, const IrregularCall& call);
Request start_among_neighbors(Communicator& ranks, const Neighbors& neighbors, const IrregularCall& call);

// As call_on (typed_call.hpp); not in place.
template <class Input, class Output>
CallArguments call_among_neighbors(Collective collective, const Input& input, Output& output) {
  static_assert(!std::is_same_v<Input, InPlace>, "a neighbourhood collective has an input of its own, and cannot be in place");
  return call_on(collective, input, output);
}

// Sends a block to each destination and receives one from each source. All blocks, of all ranks, have the same number of
// elements.
void neighbor_alltoall(Group ranks, const Neighbors& neighbors, const auto& input, auto&& output) {
  execute_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::alltoall, input, output)});
}
Request ineighbor_alltoall(Group ranks, const Neighbors& neighbors, const auto& input, auto&& output) {
  return start_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::alltoall, input, output)});
}

// `send` has a block for each destination, `receive` one for each source.
void neighbor_alltoallv(Group ranks, const Neighbors& neighbors, const auto& input, const Blocks& send, auto&& output,
                        const Blocks& receive) {
  execute_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::alltoallv, input, output), send, receive});
}
Request ineighbor_alltoallv(Group ranks, const Neighbors& neighbors, const auto& input, const Blocks& send, auto&& output,
                            const Blocks& receive) {
  return start_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::alltoallv, input, output), send, receive});
}

// The whole input goes to each destination. All blocks, of all ranks, have the same number of elements.
void neighbor_allgather(Group ranks, const Neighbors& neighbors, const auto& input, auto&& output) {
  execute_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::allgather, input, output)});
}
Request ineighbor_allgather(Group ranks, const Neighbors& neighbors, const auto& input, auto&& output) {
  return start_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::allgather, input, output)});
}

// The whole input goes to each destination. `blocks` has a block for each source.
void neighbor_allgatherv(Group ranks, const Neighbors& neighbors, const auto& input, auto&& output, const Blocks& blocks) {
  execute_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::allgatherv, input, output), {}, blocks});
}
Request ineighbor_allgatherv(Group ranks, const Neighbors& neighbors, const auto& input, auto&& output, const Blocks& blocks) {
  return start_among_neighbors(ranks, neighbors, {call_among_neighbors(Collective::allgatherv, input, output), {}, blocks});
}

// ---- With a layout for each block
//
// Total exchange, and exchange among neighbours, with a layout (execute.hpp) for each block: MPI_Alltoallw and
// MPI_Neighbor_alltoallw. Blocks may have gaps, lie anywhere, and differ in their element type.
//
//   alltoallw(ranks, matrix, columns, rows, lines);   // layouts: std::vector<Layout> columns(p), lines(p)
//   send[i] = shifted(layout_of(send_counts[i], send_types[i]), send_displacements[i]);   // MPI's arguments; mpi_layout.hpp
//
// Block i consists of the pieces of its layout, in their order. Offsets of pieces count from the buffer's address. Both ends of a
// block must have the same number of bytes. Their pieces may differ: one end may have gaps where the other one has none. An empty
// layout is an empty block. Blocks with gaps are packed into memory that the group keeps, and unpacked from there; others are not
// copied.
//
// Rules and errors are those of the other neighbourhood collectives, with two exceptions. Overlaps of received pieces are found
// only in debug builds and with QUADRILLE_CHECK=1, because the search takes longer than copying. And if a call throws because the
// ends of a block name different lengths, received blocks with gaps are not written.

// One layout for each rank of the group.
void alltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
               std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);
// The layouts may be destroyed after the call.
Request ialltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
                   std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);

// In place: the block from rank i replaces the block sent to rank i.
void alltoallw(Group ranks, InPlace, void* buffer, std::span<const Layout> layouts, bool compares = CallArguments{}.compares);
Request ialltoallw(Group ranks, InPlace, void* buffer, std::span<const Layout> layouts, bool compares = CallArguments{}.compares);

// One layout for each destination, and one for each source.
void neighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                        void* output, std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);
Request ineighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                            void* output, std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);

}  // namespace quadrille

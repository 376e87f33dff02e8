// SPDX-License-Identifier: BSD-3-Clause
// What one rank sends and receives in a neighbourhood collective or an alltoallw, as edges of an exchange. The lists and the memory
// behind them are kept from call to call, so that a call allocates nothing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "plan/calls/laid_out_blocks.hpp"
#include "quadrille/alltoallw.hpp"

namespace quadrille {

// The name of a neighbourhood collective.
std::string_view neighbor_function(Collective collective);

// A call with layouts. In place, `send` is not used, and `output` is the buffer.
struct LayoutCall {
  std::string_view function;
  const Neighbors* neighbors;  // null: each rank is both a source and a destination
  bool in_place = false;
  const void* input = nullptr;
  std::span<const Layout> send{};
  void* output = nullptr;
  std::span<const Layout> receive{};
};

class NeighborEdges {
 public:
  // Check the call's arguments, list its edges, and pack what is sent and has gaps. Local. Throw Error{misuse} or Error{too_large}.
  void list(const IrregularCall& call, const Neighbors& neighbors, Count ranks);
  void list(const LayoutCall& call, Rank me, Count ranks, bool refuses_overlaps);

  const Edges& edges() const { return edges_; }

  // Call it when the exchange is complete.
  void unpack() noexcept { received_.unpack(); }

 private:
  const Neighbors& all(Count ranks);
  void list_edges(const Neighbors& neighbors);

  LaidOutBlocks<Edges::Send> sent_;
  LaidOutBlocks<Edges::Receive> received_;
  EdgeLists lists_;
  Edges edges_;                                              // of the lists
  std::vector<Edges::Receive> by_source_;                    // of a call with counts
  std::vector<Edges::Receive> order_;                        // for refuse_overlap
  std::vector<Count> send_counts_, receive_counts_, zeros_;  // of calls without counts
  std::optional<Neighbors> all_;                             // all ranks
};

}  // namespace quadrille

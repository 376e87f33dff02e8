// SPDX-License-Identifier: BSD-3-Clause
// What one rank sends and receives in an alltoallv, gatherv or scatterv, as edges of an exchange. The lists and the memory behind
// them are kept from call to call, so that a call allocates nothing.
#pragma once

#include <vector>

#include "execute/executions/exchanger.hpp"
#include "plan/calls/irregular_blocks.hpp"

namespace quadrille {

class IrregularEdges {
 public:
  // Checks the call's arguments and lists its edges. In place, copies what an alltoallv sends. Local. Throws Error{misuse} or
  // Error{too_large}; `function` is the function that the program has called.
  void list(const IrregularBlocks& blocks, std::string_view function);

  const Edges& edges() const { return edges_; }

 private:
  void list_pairs(const IrregularBlocks& blocks, std::string_view function);
  void list_pairs_in_place(const IrregularBlocks& blocks);
  void list_share(const IrregularBlocks& blocks);
  template <bool gathers>
  void list_all(const IrregularBlocks& blocks, std::string_view function);

  EdgeLists lists_;
  Edges edges_;                        // of the lists
  std::vector<std::byte> sent_;        // a copy of what an alltoallv in place sends
  std::vector<Edges::Receive> order_;  // for refuse_overlap
};

}  // namespace quadrille

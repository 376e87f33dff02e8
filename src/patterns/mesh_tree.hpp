// SPDX-License-Identifier: BSD-3-Clause
// Trees along the dimensions of a mesh [grama2003]: along a line of ranks through the root, then from each of its ranks along the
// lines of the next dimension, and so on. A line of n places takes ceil(log2 n) rounds: whoever holds something for a run of places
// cuts the run in two, hands one part to a rank there, and both parts go on by themselves. So the messages of a round never meet,
// wherever the root is and whatever the sides are; nor do they on a ring, where only the first message goes more than half way
// round.
#pragma once

#include <vector>

#include "patterns/tree_node.hpp"

namespace quadrille {

// Where a run is cut. One part has 2^i places, i the number of rounds left after this one, and the other is no longer.
enum class LineCut : std::uint8_t {
  fixed_tree,     // the first 2^i places: the cuts of `tree_split`, whatever the root
  around_holder,  // 2^i places on the side of the holder: the other part, whose shares are sent, is as short as can be
};

enum class DimensionOrder : std::uint8_t {
  last_first,   // along a row, then along the columns: ranks below an edge are not consecutive
  first_first,  // along a column, then along the rows: they are
};

struct MeshTree {
  std::vector<Count> sides;  // ranks stand row by row: the last dimension turns fastest
  Rank root = 0;
  DimensionOrder order = DimensionOrder::last_first;
  LineCut cut = LineCut::fixed_tree;
};

// Phases are the dimensions of more than one place; where there are none, one phase of no rounds.
TreeNode node_of(const MeshTree& tree, Rank me);

}  // namespace quadrille

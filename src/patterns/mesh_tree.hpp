// SPDX-License-Identifier: BSD-3-Clause
// Trees along the dimensions of a mesh [grama2003]. The root's line is served first, then the lines of the next
// dimension through each of its ranks, and so on. A line of n places takes ceil(log2 n) rounds: a rank that holds data
// for a run of places cuts the run in two and sends the data of one part to a rank of this part. Then both parts
// continue independently. So the messages of a round never share a link of a mesh, for any root and any sides. They do
// not share a link of a ring either, because only the first message travels more than half way round.
#pragma once

#include <vector>

#include "patterns/tree_position.hpp"

namespace quadrille {

// Where a run of places is cut. If i rounds are left after this one, one part has 2^i places, and the other part is
// not longer.
enum class LineCut : std::uint8_t {
  fixed_tree,     // the first 2^i places: the cuts of `tree_split`, whatever the root
  around_holder,  // 2^i places on the holder's side, so that the other part, whose data is sent, is as short as possible
};

enum class DimensionOrder : std::uint8_t {
  last_first,   // along a row, then along the columns: the ranks below an edge are not consecutive
  first_first,  // along a column, then along the rows: the ranks below an edge are consecutive
};

struct MeshTree {
  std::vector<Count> sides;  // ranks stand row by row: the last dimension varies fastest
  Rank root = 0;
  DimensionOrder order = DimensionOrder::last_first;
  LineCut cut = LineCut::fixed_tree;
};

// The phases are the dimensions with more than one place. If there are none, there is one phase without rounds.
TreePosition position_of(const MeshTree& tree, Rank me);

}  // namespace quadrille

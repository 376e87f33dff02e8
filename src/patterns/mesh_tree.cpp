// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/mesh_tree.hpp"

#include <algorithm>
#include <bit>

namespace quadrille {
namespace {

Count rounds_on_line(Count places) { return static_cast<Count>(std::bit_width(static_cast<std::uint64_t>(places - 1))); }

struct Run {
  Count first = 0, last = 0;  // half open
};

// Calls hand(round, giver, taker, run) for the edges of a line's tree on the way down to place `me`, and for those that leave it.
template <class Hand>
void for_each_edge_at(Count places, Count root, Count me, LineCut cut, Hand&& hand) {
  const Count rounds = rounds_on_line(places);
  Run run{0, places};
  Count holder = root;
  for (Count round = 0; round < rounds; ++round) {
    const Count part = Count{1} << (rounds - 1 - round);
    if (run.last - run.first <= part) continue;
    const Count middle =
        cut == LineCut::fixed_tree || holder < run.first + part ? run.first + part : run.last - part;  // of the run
    const Run lower{run.first, middle}, upper{middle, run.last};
    const bool held_below = holder < middle;
    // In the other part the rank at the holder's own place, if the part reaches so far.
    const Count taker = held_below ? std::min(middle + holder - run.first, run.last - 1)  //
                                   : std::min(run.first + holder - middle, middle - 1);
    if (me == holder || me == taker) hand(round, holder, taker, held_below ? upper : lower);
    if ((me < middle) != held_below) holder = taker;
    run = me < middle ? lower : upper;
  }
}

std::string phase_name(std::size_t dimension, std::size_t dimensions) {
  if (dimensions == 2) return dimension == 0 ? "columns" : "rows";
  return "dimension " + std::to_string(dimension);
}

}  // namespace

TreeNode node_of(const MeshTree& tree, Rank me) {
  const std::size_t dimensions = tree.sides.size();
  const bool first_first = tree.order == DimensionOrder::first_first;
  TreeNode node;
  Count strides = 1;
  for (const Count side : tree.sides) strides *= side;
  if (first_first) node.ranks = {0, strides};  // all; then those that are left to this rank
  Count stride = first_first ? strides : 1;
  Count rounds_before = 0;
  for (std::size_t turn = 0; turn < dimensions; ++turn) {
    const std::size_t dimension = first_first ? turn : dimensions - 1 - turn;
    const Count side = tree.sides[dimension];
    if (first_first) stride /= side;
    const Count mine = me / stride % side, roots = tree.root / stride % side;
    // Whoever differs from the root in a dimension that is still to come gets nothing on this line.
    const bool takes_part = first_first ? me % stride == tree.root % stride : me / (stride * side) == tree.root / (stride * side);
    if (takes_part) {
      const Rank line = me - mine * stride;  // its first rank
      const Rank box = line - line % stride;
      for_each_edge_at(side, roots, mine, tree.cut, [&](Count round, Count giver, Count taker, Run run) {
        TreeEdge edge{rounds_before + round, line + (giver == mine ? taker : giver) * stride, {}};
        if (first_first) edge.ranks = {box + run.first * stride, (run.last - run.first) * stride};
        if (giver == mine) {
          node.children.push_back(edge);
        } else {
          node.ranks = edge.ranks;
          node.parent = edge;
        }
      });
    }
    const Count rounds = rounds_on_line(side);
    if (rounds > 0) node.phases.push_back({phase_name(dimension, dimensions), rounds});
    rounds_before += rounds;
    if (!first_first) stride *= side;
  }
  if (node.phases.empty()) node.phases.push_back({"alone", 0});
  return node;
}

}  // namespace quadrille

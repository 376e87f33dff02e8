// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/mesh_tree.hpp"

#include <algorithm>

#include "patterns/powers.hpp"

namespace quadrille {
namespace {

Count rounds_on_line(Count places) { return ceil_log2(places); }

struct Run {
  Count first = 0, last = 0;  // half open
};

// Calls hand(round, giver, taker, run) for each tree edge at which place `me` gives or takes. `run` has the places that
// the taker serves.
template <class Hand>
void for_each_edge_at(Count places, Count root, Count me, LineCut cut, Hand&& hand) {
  const Count rounds = rounds_on_line(places);
  Run run{0, places};
  Count holder = root;
  for (Count round = 0; round < rounds; ++round) {
    const Count part = Count{1} << (rounds - 1 - round);
    if (run.last - run.first <= part) continue;
    const bool cut_from_below = cut == LineCut::fixed_tree || holder < run.first + part;
    const Count middle = cut_from_below ? run.first + part : run.last - part;
    const Run lower{run.first, middle}, upper{middle, run.last};
    const bool held_below = holder < middle;
    // The taker is at the relative position of the holder in the other part, or at the last place of that part if the
    // part is too short.
    const Count place = holder - (held_below ? lower : upper).first;
    const Run& other = held_below ? upper : lower;
    const Count taker = std::min(other.first + place, other.last - 1);
    if (me == holder || me == taker) hand(round, holder, taker, other);
    if ((me < middle) != held_below) holder = taker;
    run = me < middle ? lower : upper;
  }
}

std::string phase_name(std::size_t dimension, std::size_t dimensions) {
  if (dimensions == 2) return dimension == 0 ? "columns" : "rows";
  return "dimension " + std::to_string(dimension);
}

}  // namespace

TreePosition position_of(const MeshTree& tree, Rank me) {
  const std::size_t dimensions = tree.sides.size();
  const bool first_first = tree.order == DimensionOrder::first_first;
  TreePosition position;
  Count ranks = 1;
  for (const Count side : tree.sides) ranks *= side;
  if (first_first) position.ranks = {0, ranks};  // all ranks: right for the root, replaced below for other ranks
  Count stride = first_first ? ranks : 1;
  Count rounds_before = 0;
  for (std::size_t turn = 0; turn < dimensions; ++turn) {
    const std::size_t dimension = first_first ? turn : dimensions - 1 - turn;
    const Count side = tree.sides[dimension];
    if (first_first) stride /= side;
    const Count mine = me / stride % side, of_root = tree.root / stride % side;
    // The rank takes part only if it agrees with the root in all coordinates whose dimensions are still to come.
    const bool takes_part = first_first ? me % stride == tree.root % stride : me / (stride * side) == tree.root / (stride * side);
    if (takes_part) {
      const Rank line = me - mine * stride;   // first rank of the line
      const Rank box = line - line % stride;  // first rank of the box that later dimensions reach from this line
      for_each_edge_at(side, of_root, mine, tree.cut, [&](Count round, Count giver, Count taker, Run run) {
        TreeEdge edge{rounds_before + round, line + (giver == mine ? taker : giver) * stride, {}};
        if (first_first) edge.ranks = {box + run.first * stride, (run.last - run.first) * stride};
        if (giver == mine) {
          position.children.push_back(edge);
        } else {
          position.ranks = edge.ranks;
          position.parent = edge;
        }
      });
    }
    const Count rounds = rounds_on_line(side);
    if (rounds > 0) position.phases.push_back({phase_name(dimension, dimensions), rounds});
    rounds_before += rounds;
    if (!first_first) stride *= side;
  }
  if (position.phases.empty()) position.phases.push_back({"alone", 0});
  return position;
}

}  // namespace quadrille

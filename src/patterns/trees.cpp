// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/trees.hpp"

#include <algorithm>

#include "patterns/integers.hpp"

namespace quadrille {
namespace {

Count rounds_on_line(Count places) { return ceil_log2(places); }

struct Run {
  Count first = 0, last = 0;  // half open
};

// Calls hand(round, giver, taker, run) for each tree edge at which place `me` gives or takes. `run` is the range of places that
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
    // The taker has the same place in the other part as the holder in its part, or the last place if the other part is too short.
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

TreePosition position_of(const BinomialTree& tree, std::string phase, Rank me) {
  const Count v = tree.virtual_of(me), depth = tree.depth();
  TreePosition position;
  position.phases.push_back({std::move(phase), depth});
  position.ranks = tree.subtree_of(v);
  if (v != 0) position.parent = TreeEdge{depth - 1 - tree.level_of(v), tree.rank_of(tree.parent_of(v)), position.ranks};
  for (Count level = depth - 1; level >= 0; --level) {
    if (!tree.has_child(v, level)) continue;
    const Count child = tree.child_of(v, level);
    position.children.push_back({depth - 1 - level, tree.rank_of(child), tree.subtree_of(child)});
  }
  return position;
}

TreePosition position_in_knomial_tree(Count ranks, Rank root, Count radix, KnomialOrder order, std::string phase, Rank me) {
  const auto rank_of = [&](Count v) { return (v + root) % ranks; };
  const Count v = (me - root + ranks) % ranks;
  std::vector<Count> units{1};  // radix^i, as long as it is below p
  while (units.back() <= (ranks - 1) / radix) units.push_back(units.back() * radix);
  const Count depth = ranks == 1 ? 0 : static_cast<Count>(units.size());
  const auto unit = [&](Count digit) { return units[static_cast<std::size_t>(digit)]; };
  const auto round_of = [&](Count digit) { return order == KnomialOrder::far ? depth - 1 - digit : digit; };
  const auto digit_at = [&](Count digit) { return v / unit(digit) % radix; };

  TreePosition position;
  position.phases.push_back({std::move(phase), depth});
  Count received = -1;  // the round
  for (Count round = 0; round < depth; ++round) {
    const Count digit = round_of(round);  // round_of is its own inverse
    if (digit_at(digit) == 0) continue;
    received = round;
    position.parent = TreeEdge{round, rank_of(v - digit_at(digit) * unit(digit)), {}};
  }
  for (Count round = received + 1; round < depth; ++round)
    for (Count j = 1; j < radix; ++j)
      if (const Count child = v + j * unit(round_of(round)); child < ranks)
        position.children.push_back({round, rank_of(child), {}});
  return position;
}

TreePosition position_in_full_tree(Count ranks, Rank root, Count fan_out, std::string phase, Rank me) {
  const auto rank_of = [&](Count v) { return (v + root) % ranks; };
  const Count v = (me - root + ranks) % ranks;
  Count level = 0, first = 0, size = 1, size_above = 0, depth = 0;  // of the level of v: its first number and its size
  for (Count begin = 0, width = 1; begin + width < ranks; ++depth) {
    const Count next = begin + width;
    if (v >= next) level = depth + 1, first = next, size_above = width, size = std::min(width * fan_out, ranks);
    begin = next, width = std::min(width * fan_out, ranks);
  }
  TreePosition position;
  position.phases.push_back({std::move(phase), depth});
  if (v > 0) position.parent = TreeEdge{level - 1, rank_of(first - size_above + (v - first) % size_above), {}};
  for (Count j = 1; j <= fan_out && v + j * size < ranks; ++j) position.children.push_back({level, rank_of(v + j * size), {}});
  return position;
}

TreePosition position_in_in_order_tree(Count ranks, std::string phase, Rank me) {
  TreePosition position;
  position.phases.push_back({std::move(phase), ranks == 1 ? 0 : ceil_log2(ranks + 1) - 1});
  RankRange run{0, ranks};
  for (Count level = 0;; ++level) {
    const Rank parent = run.first + run.count - 1;
    const RankRange lower{run.first, run.count / 2}, upper{run.first + lower.count, run.count - 1 - lower.count};
    if (me == parent) {
      for (const RankRange& child : {upper, lower})
        if (child.count > 0) position.children.push_back({level, child.first + child.count - 1, child});
      position.ranks = run;
      return position;
    }
    run = me < upper.first ? lower : upper;
    position.parent = TreeEdge{level, parent, run};
  }
}

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
    // The rank takes part only if it has the root's coordinates in all dimensions that are served later.
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

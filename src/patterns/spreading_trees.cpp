// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/spreading_trees.hpp"

#include <algorithm>

#include "patterns/powers.hpp"

namespace quadrille {

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
    const Count digit = round_of(round);  // the orders are their own inverses
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

}  // namespace quadrille

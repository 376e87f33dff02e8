// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/bine.hpp"

#include <algorithm>
#include <vector>

#include "foundation/assert.hpp"
#include "patterns/integers.hpp"

namespace quadrille {
namespace {

// The smallest number that has at most `digits` digits in base -2.
Count least_number(Count digits) {
  const Count numbers = Count{1} << digits;
  return digits % 2 == 1 ? -(numbers / 3) : numbers / 3 + 1 - numbers;
}

Rank moved(Rank rank, Count distance, Count ranks) { return modulo(rank % 2 == 0 ? rank + distance : rank - distance, ranks); }

// Consecutive places first, first + 1, .. of ranks that get their data from the rank at place `at`.
struct Part {
  Count first = 0;
  Count count = 0;
  Count at = 0;

  bool contains(Count place) const { return place >= first && place < first + count; }
};

// All ranks, and the root's place among them.
Part whole(Count ranks) { return {0, ranks, ceil_log2(ranks) % 2 == 1 ? ranks / 3 : ranks - 1 - ranks / 3}; }

// The half that the rank at `at` still serves, and the half that its child serves.
struct Halves {
  Part kept, given;
};

Halves halves_of(const Part& part) {
  const Count kept = (part.count + 1) / 2, given = part.count - kept;
  if (part.at < part.first + kept) {
    const Count first = part.first + kept;
    return {{part.first, kept, part.at}, {first, given, first + given / 3}};
  }
  const Count first = part.first + given;
  return {{first, kept, part.at}, {part.first, given, first - 1 - given / 3}};
}

}  // namespace

Count bine_distance(Count step) {
  const Count power = Count{1} << (step + 1);
  return step % 2 == 0 ? (power + 1) / 3 : (1 - power) / 3;
}

Rank bine_partner(Rank rank, Count step, Count ranks) {
  QUADRILLE_ASSERT(ranks % 2 == 0);
  return moved(rank, bine_distance(step), ranks);
}

RankRange bine_neighbours(Rank rank, Count steps, Count ranks) {
  const Count count = Count{1} << steps, least = least_number(steps);
  QUADRILLE_ASSERT(count <= ranks);
  return {modulo(rank % 2 == 0 ? rank + least : rank - (least + count - 1), ranks), count};
}

std::vector<BineWay> bine_ways(Count ranks) {
  QUADRILLE_ASSERT(is_power_of_two(ranks));
  const Count depth = ceil_log2(ranks);
  std::vector<BineWay> ways;
  ways.reserve(static_cast<std::size_t>(ranks));
  for (Count behind = least_number(depth); behind < least_number(depth) + ranks; ++behind) {
    BineWay way{.behind = behind};
    for (Count left = behind, step = depth - 1; step >= 0; --step) {
      const Count least = least_number(step);
      if (left >= least && left < least + (Count{1} << step)) continue;  // reached by the lower steps
      way.hops |= Count{1} << step;
      left = bine_distance(step) - left;
      way.ahead = bine_distance(step) - way.ahead;
    }
    ways.push_back(way);
  }
  return ways;
}

bool bine_halves_are_in_order(Count ranks, Rank root) {
  const Part all = whole(ranks);
  const auto [kept, given] = halves_of(all);
  const Count place_of_rank_0 = modulo(all.at - root, ranks);
  return place_of_rank_0 == 0 || place_of_rank_0 == std::max(kept.first, given.first);
}

TreePosition position_in_bine_tree(Count ranks, Rank root, std::string phase, Rank me) {
  const Count depth = ceil_log2(ranks);
  Part part = whole(ranks);
  const Count first = root - part.at;  // the rank at place 0 (mod p)
  const Count mine = modulo(me - first, ranks);
  const auto rank_at = [&](Count place) { return modulo(first + place, ranks); };
  const auto ranks_of = [&](const Part& some) { return RankRange{rank_at(some.first), some.count}; };
  TreePosition position;
  position.phases.push_back({std::move(phase), depth});
  if (me == root) position.ranks = ranks_of(part);
  for (Count round = 0; part.count > 1; ++round) {
    const auto [kept, given] = halves_of(part);
    if (part.at == mine) position.children.push_back({round, rank_at(given.at), ranks_of(given)});
    if (given.at == mine) {
      position.ranks = ranks_of(given);
      position.parent = TreeEdge{round, rank_at(part.at), position.ranks};
    }
    part = given.contains(mine) ? given : kept;
  }
  return position;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Compares Bine butterflies and trees with their definition, and their distances with the formula and with binomial trees.
#include "patterns/bine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "patterns/integers.hpp"

namespace quadrille {
namespace {

Count ring_distance(Rank a, Rank b, Count p) { return std::min(modulo(a - b, p), modulo(b - a, p)); }

TEST(Bine, DistancesAreSumsOfPowersOfMinusTwo) {
  const std::vector<Count> first{1, -1, 3, -5, 11, -21, 43};
  Count sum = 0, power = 1;
  for (Count step = 0; step < 40; ++step, power *= -2) {
    sum += power;
    ASSERT_EQ(bine_distance(step), sum) << step;
    if (step < 7) ASSERT_EQ(sum, first[static_cast<std::size_t>(step)]);
    ASSERT_EQ(std::abs(sum), ((Count{2} << step) + (step % 2 == 0 ? 1 : -1)) / 3) << "two thirds of 2^step";
  }
}

TEST(Bine, PartnersAreEachOthersAndHaveDifferentParity) {
  for (Count p = 2; p <= 70; p += 2)
    for (Count step = 0; step < ceil_log2(p); ++step)
      for (Rank rank = 0; rank < p; ++rank) {
        const Rank partner = bine_partner(rank, step, p);
        ASSERT_NE(partner % 2, rank % 2);
        ASSERT_EQ(bine_partner(partner, step, p), rank);
        ASSERT_EQ(ring_distance(rank, partner, p), std::min(std::abs(bine_distance(step)), p - std::abs(bine_distance(step)) % p));
      }
}

// What each rank holds after exchanges with its partners of these steps.
std::vector<std::set<Rank>> held_after(Count p, const std::vector<Count>& steps) {
  std::vector<std::set<Rank>> held(static_cast<std::size_t>(p));
  for (Rank rank = 0; rank < p; ++rank) held[static_cast<std::size_t>(rank)].insert(rank);
  for (const Count step : steps) {
    const auto before = held;
    for (Rank rank = 0; rank < p; ++rank) {
      const auto& theirs = before[static_cast<std::size_t>(bine_partner(rank, step, p))];
      held[static_cast<std::size_t>(rank)].insert(theirs.begin(), theirs.end());
    }
  }
  return held;
}

TEST(Bine, NearestFirstARankHoldsConsecutiveRanks) {
  for (Count p = 2; p <= 70; p += 2) {
    std::vector<Count> steps;
    for (Count step = 0; Count{1} << step <= p; steps.push_back(step++)) {
      const auto held = held_after(p, steps);
      for (Rank rank = 0; rank < p; ++rank) {
        const RankRange range = bine_neighbours(rank, step, p);
        ASSERT_EQ(range.count, Count{1} << step);
        std::set<Rank> ranks;
        for (Count i = 0; i < range.count; ++i) ranks.insert((range.first + i) % p);
        ASSERT_EQ(held[static_cast<std::size_t>(rank)], ranks) << p << ' ' << rank << ' ' << step;
      }
    }
    while (Count{1} << steps.size() < p) steps.push_back(static_cast<Count>(steps.size()));
    for (const auto& held : held_after(p, steps)) ASSERT_EQ(static_cast<Count>(held.size()), p);
  }
}

TEST(Bine, FarthestFirstARankHoldsTwoClassesOfCongruentRanks) {
  for (Count d = 1; d <= 7; ++d) {
    const Count p = Count{1} << d;
    std::vector<Count> steps;
    for (Count step = d - 1; step >= 0; --step) {
      steps.push_back(step);
      const auto held = held_after(p, steps);
      for (Rank rank = 0; rank < p; ++rank) {
        std::set<Rank> ranks;
        for (const Rank member : {rank, bine_partner(rank, step, p)})
          for (Rank other = 0; other < p; ++other)
            if ((other - member) % (Count{2} << step) == 0) ranks.insert(other);
        ASSERT_EQ(held[static_cast<std::size_t>(rank)], ranks) << p << ' ' << rank << ' ' << step;
      }
    }
  }
}

TEST(Bine, EachBlockHasOneWayThroughTheButterfly) {
  for (Count d = 0; d <= 8; ++d) {
    const Count p = Count{1} << d;
    const std::vector<BineWay> ways = bine_ways(p);
    ASSERT_EQ(static_cast<Count>(ways.size()), p);
    const auto ahead = [&](Rank rank, Count distance) { return modulo(rank % 2 == 0 ? rank + distance : rank - distance, p); };
    for (Rank source = 0; source < p; ++source) {
      std::set<Rank> targets;
      for (std::size_t i = 0; i < ways.size(); ++i) {
        if (i > 0) ASSERT_EQ(ways[i].behind, ways[i - 1].behind + 1);
        Rank at = source;
        for (Count step = 0; step < d; ++step)
          if ((ways[i].hops >> step & 1) != 0) at = bine_partner(at, step, p);
        ASSERT_EQ(at, ahead(source, ways[i].ahead)) << p << ' ' << source;
        ASSERT_EQ(source, ahead(at, ways[i].behind)) << p << ' ' << source;
        targets.insert(at);
      }
      ASSERT_EQ(static_cast<Count>(targets.size()), p);
    }
  }
}

std::set<Rank> ranks_of(const RankRange& range, Count p) {
  std::set<Rank> ranks;
  for (Count i = 0; i < range.count; ++i) ranks.insert((range.first + i) % p);
  return ranks;
}

TEST(BineTree, ReachesEveryRankOnceForEveryRoot) {
  for (Count p = 1; p <= 40; ++p)
    for (Rank root = 0; root < p; ++root) {
      std::map<Rank, TreeEdge> reached;
      for (Rank rank = 0; rank < p; ++rank) {
        const TreePosition position = position_in_bine_tree(p, root, "", rank);
        ASSERT_EQ(position.phases.size(), 1u);
        ASSERT_EQ(position.phases[0].rounds, ceil_log2(p));
        ASSERT_EQ(position.parent.has_value(), rank != root);
        std::set<Rank> below{rank};
        Count earlier = position.parent ? position.parent->round : -1;
        for (const TreeEdge& child : position.children) {
          ASSERT_GT(child.round, earlier);
          earlier = child.round;
          ASSERT_LT(child.round, ceil_log2(p));
          ASSERT_TRUE(reached.emplace(child.peer, TreeEdge{child.round, rank, child.ranks}).second);
          below.merge(ranks_of(child.ranks, p));
        }
        ASSERT_EQ(below, ranks_of(position.ranks, p)) << p << ' ' << root << ' ' << rank;
        ASSERT_EQ(static_cast<Count>(below.size()), position.ranks.count) << "subtrees do not overlap";
      }
      for (Rank rank = 0; rank < p; ++rank) {
        if (rank == root) continue;
        const TreePosition position = position_in_bine_tree(p, root, "", rank);
        ASSERT_EQ(*position.parent, reached.at(rank));
        ASSERT_EQ(position.parent->ranks, position.ranks);
      }
    }
}

TEST(BineTree, HasTwoRootsWithWhichNoPartWrapsAround) {
  EXPECT_TRUE(bine_halves_are_in_order(16, 10));
  EXPECT_TRUE(bine_halves_are_in_order(16, 2));
  for (Count p = 2; p <= 40; ++p) {
    Count in_order = 0;
    for (Rank root = 0; root < p; ++root) {
      bool wraps = false;  // for a subtree, or for what remains of one after a round, except for all ranks
      for (Rank rank = 0; rank < p; ++rank) {
        const TreePosition position = position_in_bine_tree(p, root, "", rank);
        std::set<Rank> left = ranks_of(position.ranks, p);
        const auto look = [&] {
          const bool consecutive = *left.rbegin() - *left.begin() + 1 == static_cast<Count>(left.size());
          wraps = wraps || !consecutive;
        };
        look();
        for (const TreeEdge& child : position.children) {
          for (const Rank below : ranks_of(child.ranks, p)) left.erase(below);
          look();
        }
      }
      ASSERT_EQ(!wraps, bine_halves_are_in_order(p, root)) << p << ' ' << root;
      if (!wraps) ++in_order;
    }
    ASSERT_EQ(in_order, 2) << p;
  }
}

TEST(BineTree, IsTheTreeOfTheButterflyIfTheRanksAreAPowerOfTwo) {
  for (Count d = 1; d <= 8; ++d)
    for (const Rank root : {Count{0}, Count{1}, (Count{1} << d) - 1}) {
      const Count p = Count{1} << d;
      for (Rank rank = 0; rank < p; ++rank)
        for (const TreeEdge& child : position_in_bine_tree(p, root, "", rank).children)
          ASSERT_EQ(child.peer, (root + bine_partner(modulo(rank - root, p), d - 1 - child.round, p)) % p)
              << p << ' ' << root << ' ' << rank;
    }
}

// The sum over all edges of the distance between their ranks on a ring, of the Bine tree and of the binomial tree.
std::pair<Count, Count> sums_of_distances(Count p, Rank root) {
  Count bine = 0, binomial = 0;
  for (Rank rank = 0; rank < p; ++rank) {
    for (const TreeEdge& child : position_in_bine_tree(p, root, "", rank).children) bine += ring_distance(rank, child.peer, p);
    for (const TreeEdge& child : position_of(BinomialTree(p, root), "", rank).children)
      binomial += ring_distance(rank, child.peer, p);
  }
  return {bine, binomial};
}

TEST(BineTree, HasTheDistancesOfTheFormula) {
  for (Count d = 1; d <= 14; ++d) {
    const Count p = Count{1} << d;
    const auto [bine, binomial] = sums_of_distances(p, 0);
    ASSERT_EQ(bine, (d * p + (p - (d % 2 == 0 ? 1 : -1)) / 3) / 3) << p;
    ASSERT_EQ(binomial, d * p / 2) << p;
  }
  EXPECT_EQ(sums_of_distances(16, 0), std::pair(Count{23}, Count{32}));
  EXPECT_EQ(sums_of_distances(16384, 0), std::pair(Count{78279}, Count{114688})) << "0.68 times the binomial tree's";
}

// For other numbers of ranks there is no formula.
TEST(BineTree, HasSmallerDistancesThanTheBinomialTree) {
  for (Count p = 5; p <= 600; ++p) {
    const auto [bine, binomial] = sums_of_distances(p, 0);
    ASSERT_LE(bine, binomial) << p;
    if (p > 100) ASSERT_LE(static_cast<double>(bine), 0.82 * static_cast<double>(binomial)) << p;
  }
}

}  // namespace
}  // namespace quadrille

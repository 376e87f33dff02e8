// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/packing_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

TEST(PackingRule, DecidesOnBothSidesOfItsBorders) {
  const PackingRule rule{.longest_short = 1000, .most_bytes = 65536};
  EXPECT_FALSE(rule.packs({}, 4));
  EXPECT_FALSE(rule.packs({100, 1}, 4));  // one edge needs one message anyway
  EXPECT_TRUE(rule.packs({1000, 2}, 4));
  EXPECT_FALSE(rule.packs({1001, 2}, 4));
  EXPECT_TRUE(rule.packs({15'000, 16}, 4));
  EXPECT_FALSE(rule.packs({15'001, 16}, 4));
  const PackingRule always{.longest_short = 1 << 20, .most_bytes = 1000};
  EXPECT_TRUE(always.packs({1000 - packed_bytes(4, {0, 10}), 10}, 4));
  EXPECT_FALSE(always.packs({1001 - packed_bytes(4, {0, 10}), 10}, 4));
}

// If all ranks have short edges.
TEST(PackingRule, RanksOfANodeLeadForItsPartnersInTurn) {
  constexpr Count nodes = 7, node = 3;
  for (const Count ranks : {1, 2, 4, 9}) {
    ByRank<Count> led(ranks);  // by rank, how many partners it leads for
    for (Count steps = 1; steps < nodes; ++steps) {
      EXPECT_EQ(steps_between(node, node_after(node, steps, nodes), nodes), steps);
      const Rank begin = begin_of_circle(steps, ranks);
      Leaders leaders;
      for (Rank place = 0; place < ranks; ++place) {
        leaders.add({number_in_circle(place, begin, ranks), Leaders::none});
        EXPECT_EQ(place_in_circle(number_in_circle(place, begin, ranks), begin, ranks), place);
      }
      ++led[place_in_circle(leaders.sender, begin, ranks)];
    }
    const auto [least, most] = std::minmax_element(led.begin(), led.end());
    EXPECT_LE(*most - *least, 1);
  }
}

TEST(PackingRule, TheFirstRankOfTheCircleThatHasShortEdgesLeads) {
  constexpr Count ranks = 5;
  constexpr Rank begin = 3;
  Leaders leaders;
  EXPECT_EQ(leaders.sender, Leaders::none);
  for (const Rank place : {2, 0, 1})
    leaders.add({number_in_circle(place, begin, ranks), number_in_circle(place + 2, begin, ranks)});
  EXPECT_EQ(place_in_circle(leaders.sender, begin, ranks), 0);
  EXPECT_EQ(place_in_circle(leaders.receiver, begin, ranks), 3);
}

}  // namespace
}  // namespace quadrille

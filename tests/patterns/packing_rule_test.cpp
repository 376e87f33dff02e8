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

TEST(PackingRule, RanksOfANodeLeadForItsPartnersInTurn) {
  constexpr Count nodes = 7, node = 3;
  for (const Count ranks : {1, 2, 4, 9}) {
    ByRank<Count> led(ranks);  // by rank, how many partners it leads for
    for (Count steps = 1; steps < nodes; ++steps) {
      EXPECT_EQ(steps_between(node, node_after(node, steps, nodes), nodes), steps);
      ++led[leader_after(steps, ranks)];
    }
    const auto [least, most] = std::minmax_element(led.begin(), led.end());
    EXPECT_LE(*most - *least, 1);
  }
}

}  // namespace
}  // namespace quadrille

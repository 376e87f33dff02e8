// SPDX-License-Identifier: BSD-3-Clause
// Compares NodeRanks with its definition, for ranks placed at random.
#include "problem/node_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace quadrille {
namespace {

void expect_nodes(const NodeRanks& nodes, const std::vector<Count>& numbers) {
  std::map<Count, std::vector<Rank>> wanted;
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) wanted[numbers[rank]].push_back(static_cast<Rank>(rank));
  ASSERT_EQ(nodes.rank_count(), static_cast<Count>(numbers.size()));
  ASSERT_EQ(nodes.node_count(), static_cast<Count>(wanted.size()));
  Count node = 0, largest = 0;
  for (const auto& [number, ranks] : wanted) {
    const auto found = nodes.ranks(node);
    EXPECT_EQ(std::vector<Rank>(found.begin(), found.end()), ranks) << number;
    EXPECT_EQ(nodes.size(node), static_cast<Count>(ranks.size()));
    EXPECT_EQ(nodes.sizes()[static_cast<std::size_t>(node)], nodes.size(node));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_EQ(nodes.node_of(ranks[i]), node);
      EXPECT_EQ(nodes.index_of(ranks[i]), static_cast<Count>(i));
    }
    largest = std::max(largest, nodes.size(node++));
  }
  EXPECT_EQ(nodes.largest(), largest);
}

TEST(NodeRanks, SortsRanksByNode) {
  for (const std::vector<Count>& nodes :
       {std::vector<Count>{0}, {5, 5, 5}, {0, 0, 1, 1, 1}, {0, 1, 2, 0, 1, 2, 0}, {7, -3, 7, 0, -3}})
    expect_nodes(NodeRanks(nodes), nodes);
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    std::vector<Count> nodes(1 + random() % 40);
    for (Count& node : nodes) node = static_cast<Count>(random() % 9) - 4;
    expect_nodes(NodeRanks(nodes), nodes);
  }
}

TEST(NodeRanks, MakesEveryRankANodeIfNoneAreKnown) {
  Problem problem = Problem::alltoall(4, 1);
  expect_nodes(NodeRanks(problem), {0, 1, 2, 3});
  problem.nodes = {1, 0, 1, 0};
  expect_nodes(NodeRanks(problem), {1, 0, 1, 0});
}

TEST(NodeRanks, DealsRanksOut) {
  const NodeRanks nodes(std::vector<Count>{0, 0, 0, 0, 0, 1, 2, 2});
  expect_nodes(nodes.dealt(1), {0, 0, 0, 0, 0, 1, 2, 2});
  expect_nodes(nodes.dealt(2), {0, 1, 0, 1, 0, 2, 3, 4});
  expect_nodes(nodes.dealt(5), {0, 1, 2, 3, 4, 5, 6, 7});
}

}  // namespace
}  // namespace quadrille

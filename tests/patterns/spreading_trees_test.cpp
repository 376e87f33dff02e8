// SPDX-License-Identifier: BSD-3-Clause
// Trees with several branches: worked examples, and that parents and children agree.
#include "patterns/trees.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

namespace quadrille {
namespace {

using PositionOf = std::function<TreePosition(Rank)>;

std::vector<Rank> children_of(const TreePosition& position) {
  std::vector<Rank> ranks;
  for (const TreeEdge& edge : position.children) ranks.push_back(edge.peer);
  return ranks;
}

// Every rank but the root is the child of its parent in the same round, and receives before it sends.
void expect_tree(Count ranks, Rank root, const PositionOf& position_of) {
  Count edges = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const TreePosition position = position_of(rank);
    ASSERT_EQ(position.parent.has_value(), rank != root);
    for (const TreeEdge& edge : position.children) {
      ++edges;
      const auto parent = position_of(edge.peer).parent;
      ASSERT_TRUE(parent && parent->peer == rank && parent->round == edge.round) << ranks << ' ' << rank;
      ASSERT_TRUE(!position.parent || position.parent->round < edge.round);
      ASSERT_LT(edge.round, position.phases.front().rounds);
    }
  }
  ASSERT_EQ(edges, ranks - 1);
}

TEST(SpreadingTrees, AreTrees) {
  for (Count ranks = 1; ranks <= 40; ++ranks)
    for (const Rank root : {Rank{0}, ranks / 2, ranks - 1})
      for (Count branches = 1; branches <= 5; ++branches) {
        expect_tree(ranks, root, [&](Rank me) { return position_in_full_tree(ranks, root, branches, "", me); });
        for (const KnomialOrder order : {KnomialOrder::far, KnomialOrder::near})
          expect_tree(ranks, root, [&](Rank me) { return position_in_knomial_tree(ranks, root, branches + 1, order, "", me); });
      }
}

TEST(SpreadingTrees, NearTreeOfTwoClearsTheHighestDigit) {
  for (Count ranks = 2; ranks <= 70; ++ranks)
    for (Rank rank = 1; rank < ranks; ++rank) {
      const auto near = position_in_knomial_tree(ranks, 0, 2, KnomialOrder::near, "", rank).parent;
      ASSERT_EQ(near->peer, rank - static_cast<Rank>(std::bit_floor(static_cast<std::uint64_t>(rank))));
      const auto far = position_in_knomial_tree(ranks, 0, 2, KnomialOrder::far, "", rank).parent;
      ASSERT_EQ(far->peer, rank & (rank - 1));
    }
}

TEST(SpreadingTrees, HaveTheExamplesOfTheLibrary) {
  const auto knomial = [](Rank rank) { return children_of(position_in_knomial_tree(10, 0, 4, KnomialOrder::far, "", rank)); };
  EXPECT_EQ(knomial(0), (std::vector<Rank>{4, 8, 1, 2, 3}));
  EXPECT_EQ(knomial(4), (std::vector<Rank>{5, 6, 7}));
  EXPECT_EQ(knomial(8), (std::vector<Rank>{9}));
  const auto binary = [](Rank rank) { return children_of(position_in_full_tree(9, 0, 2, "", rank)); };
  EXPECT_EQ(binary(0), (std::vector<Rank>{1, 2}));
  EXPECT_EQ(binary(1), (std::vector<Rank>{3, 5}));
  EXPECT_EQ(binary(2), (std::vector<Rank>{4, 6}));
  EXPECT_EQ(binary(3), (std::vector<Rank>{7}));
  EXPECT_EQ(binary(4), (std::vector<Rank>{8}));
  const auto in_order = [](Rank rank) { return children_of(position_in_in_order_tree(9, "", rank)); };
  EXPECT_EQ(in_order(8), (std::vector<Rank>{7, 3}));
  EXPECT_EQ(in_order(7), (std::vector<Rank>{6, 5}));
  EXPECT_EQ(in_order(3), (std::vector<Rank>{2, 1}));
  EXPECT_EQ(in_order(1), (std::vector<Rank>{0}));
}

// The runs of a rank's children and the rank itself are neighbours in the order of ranks.
TEST(SpreadingTrees, InOrderTreesKeepTheOrderOfRanks) {
  for (Count ranks = 1; ranks <= 40; ++ranks) {
    expect_tree(ranks, ranks - 1, [&](Rank me) { return position_in_in_order_tree(ranks, "", me); });
    for (Rank rank = 0; rank < ranks; ++rank) {
      const TreePosition position = position_in_in_order_tree(ranks, "", rank);
      Rank next = rank;
      for (const TreeEdge& edge : position.children) {
        ASSERT_EQ(edge.ranks.first + edge.ranks.count, next) << ranks << ' ' << rank;
        next = edge.ranks.first;
      }
      ASSERT_EQ(position.ranks, (RankRange{next, rank + 1 - next}));
    }
  }
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Trees, cuts and circulant graphs compared with their definitions, exhaustively.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "patterns/binomial.hpp"
#include "patterns/circulant.hpp"
#include "patterns/cut.hpp"

namespace quadrille {
namespace {

TEST(Cut, PartsDifferByOneAtMostAndCoverEverything) {
  for (Count total = 0; total <= 40; ++total)
    for (Count parts = 1; parts <= 45; ++parts) {
      ASSERT_EQ(cut_position(total, parts, 0), 0);
      ASSERT_EQ(cut_position(total, parts, parts), total);
      for (Count i = 0; i < parts; ++i) {
        const Count length = cut_position(total, parts, i + 1) - cut_position(total, parts, i);
        ASSERT_GE(length, total / parts);
        ASSERT_LE(length, ceil_divide(total, parts));
      }
    }
  const Count most = std::numeric_limits<Count>::max();
  EXPECT_EQ(cut_position(most, most, most - 1), most - 1) << "the product passes 2^63";
}

// Every rank but the root is a child of one rank, at its own level; its subtree consists of itself and its children's
// subtrees.
TEST(Binomial, IsATreeOverAllRanksForEveryRoot) {
  for (Count p = 1; p <= 40; ++p)
    for (Rank root = 0; root < p; ++root) {
      const BinomialTree tree(p, root);
      ASSERT_EQ(Count{1} << tree.depth() >= p, true);
      ASSERT_EQ(tree.depth() > 0 && Count{1} << (tree.depth() - 1) >= p, false);
      ASSERT_EQ(tree.virtual_of(root), 0);
      ASSERT_EQ(tree.subtree_of(0).count, p);
      std::set<Count> reached{0};
      for (Count v = 0; v < p; ++v) {
        ASSERT_EQ(tree.virtual_of(tree.rank_of(v)), v);
        const auto members = [&](Count top) {
          std::set<Rank> ranks;
          const RankRange range = tree.subtree_of(top);
          for (Count i = 0; i < range.count; ++i) ranks.insert((range.first + i) % p);
          return ranks;
        };
        std::set<Rank> subtree{tree.rank_of(v)};
        for (Count level = 0; level < tree.depth(); ++level) {
          if (!tree.has_child(v, level)) continue;
          const Count child = tree.child_of(v, level);
          ASSERT_TRUE(reached.insert(child).second);
          ASSERT_EQ(tree.parent_of(child), v);
          ASSERT_EQ(tree.level_of(child), level);
          subtree.merge(members(child));
        }
        ASSERT_EQ(members(v), subtree) << p << ' ' << root << ' ' << v;
      }
      ASSERT_EQ(static_cast<Count>(reached.size()), p);
    }
}

TEST(Circulant, HasTheSkipsAndRowsOfTheWorkedExample) {
  const auto skips = circulant_skips(5);
  EXPECT_EQ(skips, (std::vector<Count>{1, 2, 3, 5}));
  EXPECT_EQ(circulant_skips(9), (std::vector<Count>{1, 2, 3, 5, 9}));
  EXPECT_EQ(circulant_skips(1), std::vector<Count>{1});
  const std::vector<std::vector<Count>> rows{{-3, -1, -2}, {0, -1, -2}, {-3, 1, -1}, {-2, -3, 2}, {-1, -2, 0}};
  for (Rank r = 0; r < 5; ++r) EXPECT_EQ(circulant_receive_row(skips, r), rows[static_cast<std::size_t>(r)]) << r;
}

// Every rank receives each segment once, and only from a rank that has it.
TEST(Circulant, EverySegmentArrivesOnceFromARankThatHasIt) {
  std::vector<Count> sizes;
  for (Count p = 2; p < 130; ++p) sizes.push_back(p);
  for (const Count p : {255, 256, 257, 511, 600}) sizes.push_back(p);
  for (const Count p : sizes)
    for (const Count n : {1, 2, 3, 5, 8, 13, 40}) {
      const auto skips = circulant_skips(p);
      std::vector<CirculantReceipts> receipts;
      std::vector<std::set<Count>> held(static_cast<std::size_t>(p));
      for (Rank r = 0; r < p; ++r) receipts.emplace_back(skips, r, n);
      for (Count s = 0; s < n; ++s) held[0].insert(s);
      for (Count round = 0; round < receipts[0].rounds(); ++round) {
        const auto before = held;
        for (Rank r = 0; r < p; ++r) {
          const CirculantReceipts& mine = receipts[static_cast<std::size_t>(r)];
          const auto got = mine.segment(round);
          if (!got) continue;
          const Rank from = (r + p - skips[static_cast<std::size_t>(mine.skip_index(round))]) % p;
          ASSERT_TRUE(before[static_cast<std::size_t>(from)].contains(*got)) << p << ' ' << n << ' ' << r << ' ' << round;
          ASSERT_TRUE(held[static_cast<std::size_t>(r)].insert(*got).second) << p << ' ' << n << ' ' << r << ' ' << round;
        }
      }
      for (const auto& each : held) ASSERT_EQ(static_cast<Count>(each.size()), n) << p << ' ' << n;
    }
}

}  // namespace
}  // namespace quadrille

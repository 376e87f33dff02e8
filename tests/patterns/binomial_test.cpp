// SPDX-License-Identifier: BSD-3-Clause
// Compares binomial trees with their definition, for every root.
#include "patterns/trees.hpp"

#include <gtest/gtest.h>

#include <set>

namespace quadrille {
namespace {

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

}  // namespace
}  // namespace quadrille

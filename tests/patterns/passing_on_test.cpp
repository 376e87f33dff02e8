// SPDX-License-Identifier: BSD-3-Clause
// Every rank without a partner gets the data once, from a rank that has it.
#include "patterns/covers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace quadrille {
namespace {

TEST(PassingOn, ReachesEveryRankOfTheLowerGroupOnce) {
  for (Count ranks = 1; ranks <= 70; ++ranks)
    for (Count size = 1; size < ranks; size *= 2) {
      std::set<Rank> have, lack;  // of the last pair of groups' lower one
      const Rank lower = ranks / (2 * size) * 2 * size;
      for (Rank rank = lower; rank < std::min(lower + size, ranks); ++rank) ((rank ^ size) < ranks ? have : lack).insert(rank);
      const std::size_t rounds = passing_on(ranks, size, 0).size();
      ASSERT_EQ(rounds > 0, !have.empty() && !lack.empty()) << ranks << ' ' << size;
      for (std::size_t round = 0; round < rounds; ++round) {
        std::set<Rank> got;
        for (Rank rank = 0; rank < ranks; ++rank) {
          const auto all = passing_on(ranks, size, rank);
          ASSERT_EQ(all.size(), rounds);
          if (!all[round].to) continue;
          ASSERT_TRUE(have.count(rank));
          ASSERT_EQ(passing_on(ranks, size, *all[round].to)[round].from, rank);
          ASSERT_TRUE(got.insert(*all[round].to).second);
        }
        for (const Rank rank : got) {
          ASSERT_EQ(lack.erase(rank), 1u);
          have.insert(rank);
        }
      }
      if (rounds > 0) ASSERT_TRUE(lack.empty()) << ranks << ' ' << size;
    }
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Compares circulant graphs with a worked example and with their definition.
#include "patterns/circulant.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace quadrille {
namespace {

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

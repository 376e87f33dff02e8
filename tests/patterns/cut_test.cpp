// SPDX-License-Identifier: BSD-3-Clause
// Tests that the parts of a cut differ by one at most and cover everything.
#include "patterns/integers.hpp"

#include <gtest/gtest.h>

#include <limits>

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

}  // namespace
}  // namespace quadrille

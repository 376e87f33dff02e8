// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/arithmetic.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(Rounding, IsToTheNextMultiple) {
  EXPECT_EQ(rounded_up(0, 64), 0);
  EXPECT_EQ(rounded_up(1, 64), 64);
  EXPECT_EQ(rounded_up(64, 64), 64);
  EXPECT_EQ(rounded_up(65, 64), 128);
  EXPECT_EQ(rounded_up(7, 1), 7);
}

}  // namespace
}  // namespace quadrille

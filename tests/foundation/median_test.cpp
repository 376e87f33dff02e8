// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/arithmetic.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(Median, IsTheValueInTheMiddle) {
  EXPECT_EQ(median_of(std::vector{5.0}), 5);
  EXPECT_EQ(median_of(std::vector{9, 1, 5}), 5);
  EXPECT_EQ(median_of(std::vector{7, 7, 7, 1, 9}), 7);
}

TEST(Median, OfAnEvenNumberIsTheGreaterInTheMiddle) {
  EXPECT_EQ(median_of(std::vector{2, 1}), 2);
  EXPECT_EQ(median_of(std::vector{4, 3, 1, 2}), 3);
}

}  // namespace
}  // namespace quadrille

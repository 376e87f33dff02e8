// SPDX-License-Identifier: BSD-3-Clause
#include "draw/panel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace quadrille {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ValueRange range_of(double least, double most) { return {least, most}; }

std::vector<std::string> texts(const std::vector<double>& values) {
  std::vector<std::string> list;
  for (const double value : values) list.push_back(tick_text(value));
  return list;
}

TEST(Axes, LinearRangesBeginAndEndAtTicks) {
  const ValueRange own = range_of(46.7, 87.8).for_axis(false, false), from_zero = range_of(3, 413).for_axis(false, true);
  EXPECT_NEAR(own.least, 45, 1e-9);
  EXPECT_NEAR(own.most, 90, 1e-9);
  EXPECT_NEAR(from_zero.least, 0, 1e-9);
  EXPECT_NEAR(from_zero.most, 450, 1e-9);
  EXPECT_NEAR(range_of(-3, 4).for_axis(false, true).least, -3, 1e-9);
  EXPECT_NEAR(range_of(0, 7).for_axis(false, true).most, 7, 1e-9) << "a value at a tick needs no room";
}

TEST(Axes, LogarithmicRangesHaveMargins) {
  const ValueRange range = range_of(1, 100).for_axis(true, true);
  EXPECT_NEAR(range.least, std::pow(100, -0.04), 1e-9);
  EXPECT_NEAR(range.most, std::pow(100, 1.04), 1e-9);
  EXPECT_NEAR(range_of(5, 5).for_axis(true, false).most, 5.15, 1e-9);
}

TEST(Axes, WithoutDifferentValuesHaveARange) {
  for (const bool log : {false, true}) {
    EXPECT_LT(ValueRange().for_axis(log, false).least, ValueRange().for_axis(log, false).most);
    for (const double value : {0.001, 1.0, 1e6}) {
      const ValueRange range = range_of(value, value).for_axis(log, false);
      EXPECT_LE(range.least, value);
      EXPECT_LT(range.least, range.most);
    }
  }
  EXPECT_GT(range_of(0, 0).for_axis(false, true).most, 0);
}

TEST(Axes, PlaceValuesOnBothScales) {
  const Axis linear(range_of(0, 10), false, 100, 200), down(range_of(0, 10), false, 200, 100), log(range_of(1, 100), true, 0, 50);
  EXPECT_NEAR(linear.at(2.5), 125, 1e-9);
  EXPECT_NEAR(down.at(2.5), 175, 1e-9);
  EXPECT_NEAR(log.at(10), 25, 1e-9);
  EXPECT_NEAR(log.at(0), 0, 1e-9) << "the end of the axis";
  EXPECT_NEAR(Axis(range_of(3, 3), true, 0, 50).at(3), 25, 1e-9) << "a single value is in the middle";
}

TEST(Axes, HaveTicksAtRoundNumbers) {
  EXPECT_THAT(texts(Axis(range_of(0, 1), false, 0, 1).round_values()),
              ElementsAre("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"));
  EXPECT_THAT(texts(Axis(range_of(16, 512), false, 0, 1).round_values()),
              ElementsAre("50", "100", "150", "200", "250", "300", "350", "400", "450", "500"));
  EXPECT_THAT(texts(Axis(range_of(0.96, 1.24), true, 0, 1).round_values()), ElementsAre("1", "1.1", "1.2"));
  EXPECT_THAT(texts(Axis(range_of(121, 139), true, 0, 1).round_values()),
              ElementsAre("122", "124", "126", "128", "130", "132", "134", "136", "138"));
  EXPECT_THAT(texts(Axis(range_of(0.9, 8), true, 0, 1).round_values()), ElementsAre("1", "1.5", "2", "3", "5", "7"));
  EXPECT_THAT(texts(Axis(range_of(1, 100), true, 0, 1).round_values()), ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_THAT(texts(Axis(range_of(0.5, 2e5), true, 0, 1).round_values()), ElementsAre("1", "10", "100", "1000", "10000", "10⁵"));
  EXPECT_THAT(texts(Axis(range_of(3, 64), true, 0, 1).powers_of_two()), ElementsAre("4", "8", "16", "32", "64"));
  EXPECT_THAT(texts(Axis(range_of(5, 7), true, 0, 1).powers_of_two()), IsEmpty());
  EXPECT_THAT(texts(Axis(range_of(5, 5), false, 0, 1).round_values()), ElementsAre("5"));
}

TEST(Axes, WriteLargeAndSmallNumbersAsPowersOfTen) {
  EXPECT_EQ(tick_text(0), "0");
  EXPECT_EQ(tick_text(99999), "99999");
  EXPECT_EQ(tick_text(100000), "10⁵");
  EXPECT_EQ(tick_text(2.5e12), "2.5·10¹²");
  EXPECT_EQ(tick_text(-3e6), "-3·10⁶");
  EXPECT_EQ(tick_text(0.0001), "0.0001");
  EXPECT_EQ(tick_text(0.00001), "10⁻⁵");
}

}  // namespace
}  // namespace quadrille

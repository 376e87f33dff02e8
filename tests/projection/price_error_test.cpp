// SPDX-License-Identifier: BSD-3-Clause
// Which residual of a machine stands for a call.
#include "projection/price_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace quadrille::projection {
namespace {

constexpr Collective exchange = Collective::alltoall, sum = Collective::allreduce;

MachineCosts machine_with(std::vector<Residual> residuals) {
  MachineCosts machine;
  machine.residuals = std::move(residuals);
  return machine;
}

TEST(PriceErrors, AreTheUsualOnesWithoutResiduals) {
  const PriceError error = price_error_of({}, exchange, 64, true);
  EXPECT_EQ(error.bias, 0);
  EXPECT_EQ(error.spread, usual_residual);
}

TEST(PriceErrors, AreThoseOfTheNearestSize) {
  const MachineCosts machine =
      machine_with({{exchange, false, 4096, 1, 0.3}, {exchange, false, 16, 1, 0.1}, {sum, false, 64, 1, 0.9}});
  const auto spread = [&](Bytes bytes) { return price_error_of(machine, exchange, bytes, false).spread; };
  for (const Bytes bytes : {0, 1, 16, 255, 256}) EXPECT_EQ(spread(bytes), 0.1) << bytes;  // 256 is as near to 16 as to 4096
  for (const Bytes bytes : {257, 4096, 1 << 30}) EXPECT_EQ(spread(bytes), 0.3) << bytes;
}

TEST(PriceErrors, AreThoseOfTheSide) {
  const MachineCosts machine = machine_with({{exchange, false, 8, 0.5, 0.1}, {exchange, true, 8, 2, 0.3}});
  EXPECT_DOUBLE_EQ(price_error_of(machine, exchange, 8, false).bias, -std::log(2));
  EXPECT_DOUBLE_EQ(price_error_of(machine, exchange, 8, true).bias, std::log(2));
  EXPECT_EQ(price_error_of(machine, exchange, 8, true).spread, 0.3);
}

TEST(PriceErrors, OfOtherCollectivesAreThoseOfTheSideTogether) {
  const MachineCosts machine =
      machine_with({{exchange, false, 8, 4, 0.3}, {exchange, false, 64, 1, 0.3}, {exchange, true, 8, 9, 5}});
  const PriceError error = price_error_of(machine, sum, 8, false);
  EXPECT_DOUBLE_EQ(error.bias, std::log(2));
  EXPECT_DOUBLE_EQ(error.spread, std::sqrt(0.3 * 0.3 + std::log(2) * std::log(2)));
}

TEST(PriceErrors, OfASideThatWasNotMeasuredAreThoseOfTheOther) {
  const MachineCosts machine = machine_with({{exchange, false, 8, 4, 0.3}});
  EXPECT_DOUBLE_EQ(price_error_of(machine, exchange, 8, true).bias, std::log(4));
  EXPECT_DOUBLE_EQ(price_error_of(machine, sum, 8, true).spread, 0.3);
}

}  // namespace
}  // namespace quadrille::projection

// SPDX-License-Identifier: BSD-3-Clause
// Which residual of a machine stands for a call, and whether it corrects the price.
#include "projection/call_prices.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace quadrille::projection {
namespace {

constexpr Collective exchange = Collective::alltoall, sum = Collective::allreduce;
constexpr Implementation by_vendor = Implementation::vendor, by_ours = Implementation::ours;

MachineCosts machine_with(std::vector<Residual> residuals) {
  MachineCosts machine;
  machine.residuals = std::move(residuals);
  return machine;
}

TEST(PriceErrors, AreTheUsualOnesWithoutResiduals) {
  const PriceError error = price_error_of({}, exchange, 64, by_vendor);
  EXPECT_EQ(error.bias, 0);
  EXPECT_EQ(error.spread, usual_residual);
}

TEST(PriceErrors, AreInterpolatedBetweenSizes) {
  const MachineCosts machine =
      machine_with({{exchange, by_ours, 4096, 4, 0.3}, {exchange, by_ours, 16, 1, 0.1}, {sum, by_ours, 64, 9, 0.9}});
  const auto at = [&](Bytes bytes) { return price_error_of(machine, exchange, bytes, by_ours); };
  EXPECT_DOUBLE_EQ(at(256).bias, std::log(2)) << "256 is as near to 16 as to 4096";
  EXPECT_DOUBLE_EQ(at(256).spread, 0.2);
  EXPECT_DOUBLE_EQ(at(32).bias, std::log(4) / 8);
  for (const Bytes bytes : {0, 1, 16}) EXPECT_EQ(at(bytes).bias, 0) << bytes;
  for (const Bytes bytes : {4096, 1 << 30}) {
    EXPECT_DOUBLE_EQ(at(bytes).bias, std::log(4)) << bytes;
    EXPECT_EQ(at(bytes).spread, 0.3) << bytes;
  }
}

// Where both loads were measured at a size, the load of the call decides; other sizes stand for both loads.
TEST(PriceErrors, AreThoseOfTheLoad) {
  Residual after_pause{exchange, by_ours, 16, 2, 0.1, 0.05}, busy{exchange, by_ours, 16, 8, 0.2, 0.07, true};
  const MachineCosts machine = machine_with({after_pause, busy, {exchange, by_ours, 4096, 4, 0.3}});
  for (const bool in_succession : {false, true}) {
    const PriceError error = price_error_of(machine, exchange, 16, by_ours, in_succession);
    EXPECT_DOUBLE_EQ(error.bias, std::log(in_succession ? 8 : 2));
    EXPECT_EQ(error.noise, in_succession ? 0.07 : 0.05);
    EXPECT_DOUBLE_EQ(price_error_of(machine, exchange, 4096, by_ours, in_succession).bias, std::log(4));
  }
}

TEST(PriceErrors, AreThoseOfTheSide) {
  const MachineCosts machine = machine_with({{exchange, by_ours, 8, 0.5, 0.1}, {exchange, by_vendor, 8, 2, 0.3}});
  EXPECT_DOUBLE_EQ(price_error_of(machine, exchange, 8, by_ours).bias, -std::log(2));
  EXPECT_DOUBLE_EQ(price_error_of(machine, exchange, 8, by_vendor).bias, std::log(2));
  EXPECT_EQ(price_error_of(machine, exchange, 8, by_vendor).spread, 0.3);
}

TEST(PriceErrors, OfOtherCollectivesAreThoseOfTheSideTogether) {
  const MachineCosts machine =
      machine_with({{exchange, by_ours, 8, 4, 0.3}, {exchange, by_ours, 64, 1, 0.3}, {exchange, by_vendor, 8, 9, 5}});
  const PriceError error = price_error_of(machine, sum, 8, by_ours);
  EXPECT_DOUBLE_EQ(error.bias, std::log(2));
  EXPECT_DOUBLE_EQ(error.spread, std::sqrt(0.3 * 0.3 + std::log(2) * std::log(2)));
}

TEST(PriceErrors, OfASideThatWasNotMeasuredAreThoseOfTheOther) {
  const MachineCosts machine = machine_with({{exchange, by_ours, 8, 4, 0.3}});
  EXPECT_DOUBLE_EQ(price_error_of(machine, exchange, 8, by_vendor).bias, std::log(4));
  EXPECT_DOUBLE_EQ(price_error_of(machine, sum, 8, by_vendor).spread, 0.3);
}

// The residuals of three nodes with 2, 2 and 1 ranks.
TEST(PriceErrors, AreOfCallsOnRanksThatArePlacedAlike) {
  MachineCosts machine =
      machine_with({{exchange, by_vendor, 8, 1, 0.1}, {exchange, by_ours, 8, 1, 0.1}, {sum, by_ours, 8, 1, 0.1}});
  const auto holds = [&](const std::vector<Count>& nodes, Collective collective = exchange) {
    return were_measured_on(machine, collective, nodes);
  };
  EXPECT_FALSE(holds({0, 0, 1, 1, 2})) << "it is not known where they were measured";
  machine.residual_node_sizes = {2, 2, 1};
  EXPECT_TRUE(holds({0, 0, 1, 1, 2}));
  EXPECT_FALSE(holds({0, 1, 1, 2, 2})) << "the same sizes in another order";
  EXPECT_FALSE(holds({0, 1, 2, 0, 1})) << "nodes get ranks in turn";
  EXPECT_FALSE(holds({0, 0, 1, 1}));
  EXPECT_FALSE(holds({0, 0, 1, 1, 2, 3}));
  EXPECT_FALSE(holds({0, 0, 0, 0, 0}));
  EXPECT_FALSE(holds({0, 0, 1, 1, 2}, sum)) << "only ours was measured";
  EXPECT_FALSE(holds({0, 0, 1, 1, 2}, Collective::barrier));
}

}  // namespace
}  // namespace quadrille::projection

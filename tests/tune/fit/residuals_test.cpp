// SPDX-License-Identifier: BSD-3-Clause
// Residuals: from samples, and measured among threads.
#include "tune/fit/residuals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "quadrille/fit.hpp"
#include "quadrille/groups.hpp"

namespace quadrille {
namespace {

constexpr Collective exchange = Collective::alltoall, barrier = Collective::barrier;
constexpr Implementation by_vendor = Implementation::vendor, by_ours = Implementation::ours;

TEST(Residuals, AreTheMedianAndTheSpreadOfAClass) {
  const auto found = residuals_of(
      {{exchange, by_ours, 16, 1}, {exchange, by_ours, 1024, 3}, {exchange, by_ours, 16, 4}, {exchange, by_ours, 1024, 3}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].block_bytes, 16);
  EXPECT_EQ(found[0].ratio, 2) << "in the middle of 1 and 4";
  EXPECT_NEAR(found[0].spread, std::log(4) / std::sqrt(2), 1e-3);
  EXPECT_EQ(found[1].ratio, 3);
  // Two that agree say little, so their class has the usual spread: the median of both classes' deviations, scaled.
  EXPECT_NEAR(found[1].spread, std::log(4) / std::sqrt(2) / 2 / 0.6745, 1e-3);
}

TEST(Residuals, KeepSidesApart) {
  const auto found = residuals_of(
      {{exchange, by_ours, 16, 1}, {exchange, by_ours, 16, 1}, {exchange, by_vendor, 16, 4}, {exchange, by_vendor, 16, 1}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].by, by_vendor);
  EXPECT_EQ(found[0].ratio, 2);
  EXPECT_EQ(found[1], (Residual{exchange, by_ours, 16, 1, 0}));
}

TEST(Residuals, KeepLoadsApart) {
  const auto found = residuals_of({{exchange, by_ours, 16, 1, 0.2, false},
                                   {exchange, by_ours, 16, 1, 0.4, false},
                                   {exchange, by_ours, 16, 3, 0.6, true},
                                   {exchange, by_ours, 16, 3, 0.6, true}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Residual{exchange, by_ours, 16, 1, 0, 0.3, false}));
  EXPECT_EQ(found[1], (Residual{exchange, by_ours, 16, 3, 0, 0.6, true}));
}

TEST(Residuals, OfASingleSampleHaveTheSpreadOfTheOthers) {
  const auto found = residuals_of({{barrier, by_ours, 0, 5}, {exchange, by_ours, 16, 1}, {exchange, by_ours, 16, 4}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1], (Residual{barrier, by_ours, 0, 5, found[0].spread}));
  EXPECT_TRUE(residuals_of({{barrier, by_ours, 0, 5}, {exchange, by_ours, 16, 1}}).empty()) << "nothing is known of the spread";
  EXPECT_TRUE(residuals_of({}).empty());
}

// With a preset's costs: costs that are fitted while other programs run may be 0, and a collective without a price has no residual.
TEST(Residuals, AreMeasuredForEachCollective) {
  run_threads(2, [](Communicator& communicator) {
    std::set<Collective> collectives;
    for (const Residual& each : measured_residuals(communicator, find_machine("epyc"), {.seconds = 0.1})) {
      EXPECT_EQ(each.by, by_ours) << "threads have no MPI library";
      EXPECT_EQ(each.block_bytes == 0, each.collective == barrier);
      collectives.insert(each.collective);
    }
    EXPECT_EQ(collectives.size(), all_collectives().size());
  });
}

TEST(Residuals, ArePartOfACalibration) {
  run_threads(2, [](Communicator& communicator) {
    const Calibration calibration = calibrate(communicator, {.seconds = 0.2});
    EXPECT_FALSE(calibration.machine.residuals.empty());
    EXPECT_EQ(calibration.machine.residual_node_sizes, (std::vector<Count>{2}));
    EXPECT_EQ(calibration.machine.residual_date.size(), std::string("2026-11-30").size());
    for (const bool in_succession : {false, true})
      EXPECT_TRUE(std::any_of(calibration.machine.residuals.begin(), calibration.machine.residuals.end(),
                              [&](const Residual& each) { return each.in_succession == in_succession; }));
    EXPECT_NO_THROW(machine_text(calibration.machine));
    const MachineCosts without = calibrate(communicator, {.seconds = 0.02, .residuals = false}).machine;
    EXPECT_TRUE(without.residuals.empty());
    EXPECT_TRUE(without.residual_node_sizes.empty());
  });
}

}  // namespace
}  // namespace quadrille

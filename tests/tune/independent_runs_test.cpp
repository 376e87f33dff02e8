// SPDX-License-Identifier: BSD-3-Clause
// Ratios of two runs that share no repetitions.
#include "tune/median.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "quadrille/race.hpp"

namespace quadrille {
namespace {

TEST(IndependentRuns, HaveTheOrderStatisticsOfTheTables) {
  // Mann and Whitney's U for 9 and 9 samples at 5 %: 17, so the interval begins at the 18th quotient; P(U <= 17) = 972 / 48620.
  std::vector<double> ones(9, 1.0), others;
  for (int i = 1; i <= 9; ++i) others.push_back(i);
  const RatioOfRuns nine = ratio_of_runs(ones, others);  // each quotient occurs nine times
  EXPECT_EQ(nine.median, 5);
  EXPECT_EQ(nine.lower, 2) << "the 18th of 1, 1, .., 2, 2, .. is the last 2";
  EXPECT_EQ(nine.upper, 8);
  EXPECT_DOUBLE_EQ(nine.confidence, 1 - 2 * 972.0 / 48620);
  EXPECT_DOUBLE_EQ(ratio_of_runs({1, 1, 1, 1}, {2, 3, 4, 5}).confidence, 1 - 2.0 / 70);
}

TEST(IndependentRuns, HaveLowConfidenceWithFewRepetitions) {
  const RatioOfRuns few = ratio_of_runs({1, 2}, {2, 8});
  EXPECT_EQ(few.lower, 1);
  EXPECT_EQ(few.upper, 8);
  EXPECT_DOUBLE_EQ(few.confidence, 1 - 2.0 / 6);
  EXPECT_LT(few.confidence, wanted_confidence);
  EXPECT_EQ(ratio_of_runs({2}, {3}).median, 1.5);
  EXPECT_EQ(ratio_of_runs({2}, {3}).confidence, 0);
}

TEST(IndependentRuns, CoverTheTrueRatioWithTheStatedConfidence) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> time(0, 0.3);
  for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>{9, 9}, {6, 15}, {60, 60}}) {
    int covered = 0;
    constexpr int trials = 400;
    double confidence = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> a(first), b(second);
      for (double& each : a) each = time(random);
      for (double& each : b) each = 1.3 * time(random);
      const RatioOfRuns ratio = ratio_of_runs(a, b);
      covered += ratio.lower <= 1.3 && 1.3 <= ratio.upper;
      confidence = ratio.confidence;
    }
    EXPECT_GE(confidence, wanted_confidence);
    EXPECT_NEAR(covered / static_cast<double>(trials), confidence, 0.03) << first << ' ' << second;
  }
}

TEST(IndependentRuns, ThinOutManyRepetitions) {
  const RatioOfRuns ratio = ratio_of_runs(std::vector<double>(100'000, 2.0), std::vector<double>(5, 3.0));
  EXPECT_EQ(ratio.lower, 1.5);
  EXPECT_EQ(ratio.upper, 1.5);
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Conclusions from the repetitions of a race: intervals of medians, and the verdicts that follow from them.
#include "tune/median.hpp"

#include <gtest/gtest.h>

#include <random>

namespace quadrille {
namespace {

// From Table A.10 of Hollander and Wolfe, or any other table of the sign test: n, order statistic (from 1), confidence.
TEST(Median, IntervalsAreThoseOfTheSignTest) {
  struct Row {
    std::size_t samples, order;
    double confidence;
  };
  for (const Row& row : std::vector<Row>{{1, 1, 0},
                                         {2, 1, 0.5},
                                         {3, 1, 0.75},
                                         {5, 1, 0.9375},
                                         {6, 1, 0.96875},
                                         {8, 1, 0.9922},
                                         {9, 2, 0.9609},
                                         {15, 4, 0.9648},
                                         {20, 6, 0.9586},
                                         {25, 8, 0.9567}}) {
    const MedianInterval interval = median_interval(row.samples);
    EXPECT_EQ(interval.lower, row.order - 1) << row.samples;
    EXPECT_EQ(interval.upper, row.samples - row.order) << row.samples;
    EXPECT_NEAR(interval.confidence, row.confidence, 5e-5) << row.samples;
  }
  EXPECT_NEAR(median_interval(1'000'000).confidence, 0.95, 1e-3);
}

TEST(Median, IntervalsHoldItWithTheStatedConfidence) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> skew(1);  // its median is ln 2
  int held = 0;
  constexpr int times = 4000;
  for (int i = 0; i < times; ++i) {
    std::vector<double> values(9);
    for (double& value : values) value = skew(random);
    const Spread spread = spread_of(values);
    EXPECT_TRUE(spread.least <= spread.lower && spread.lower <= spread.median);
    EXPECT_TRUE(spread.median <= spread.upper && spread.upper <= spread.most);
    held += spread.lower <= std::log(2.0) && std::log(2.0) <= spread.upper;
  }
  EXPECT_NEAR(static_cast<double>(held) / times, median_interval(9).confidence, 0.015);
}

class Conclusions : public ::testing::Test {
 protected:
  // Times of repetitions: a common factor of each repetition, by which the machine is faster or slower, times the candidate's
  // noise.
  static std::vector<double> repetitions(double seconds, double own_noise, unsigned seed, int count = 9) {
    std::mt19937_64 common(1), own(seed);
    std::uniform_real_distribution<double> exponent(-1, 1);
    std::vector<double> list;
    for (int i = 0; i < count; ++i)
      list.push_back(seconds * std::pow(4.0, exponent(common)) * std::pow(1 + own_noise, exponent(own)));
    return list;
  }

  static RaceResult of(const std::vector<std::vector<double>>& seconds) {
    RaceResult result;
    for (const auto& each : seconds) result.entries.push_back({.seconds = spread_of(each)});
    result.confidence = median_interval(seconds.front().size()).confidence;
    conclude(result, seconds);
    return result;
  }
};

TEST_F(Conclusions, CompareCandidatesWithinEachRepetition) {
  // The machine's own variation is 16 times as large as the difference between the candidates.
  const RaceResult result = of({repetitions(1.1, 0.01, 2), repetitions(1.0, 0.01, 3), repetitions(5, 0.01, 4)});
  EXPECT_EQ(result.conclusion, Conclusion::fastest);
  EXPECT_EQ(result.best, 1u);
  EXPECT_GT(result.entries[0].seconds.upper, result.entries[1].seconds.lower) << "by themselves the times overlap";
}

TEST_F(Conclusions, AreTiesIfDifferencesAreWithinTheNoise) {
  const RaceResult result = of({repetitions(1.0, 0.05, 2), repetitions(1.002, 0.05, 3), repetitions(5, 0.05, 4)});
  EXPECT_EQ(result.conclusion, Conclusion::tied);
  EXPECT_GT(result.entries[2].to_best->lower, 1);
}

TEST_F(Conclusions, AreNoneIfNoisyOrWithTooFewRepetitions) {
  EXPECT_EQ(of({repetitions(1, 5, 2), repetitions(1.1, 5, 3)}).conclusion, Conclusion::noisy);
  EXPECT_EQ(of({repetitions(1, 0.01, 2, 5), repetitions(2, 0.01, 3, 5)}).conclusion, Conclusion::too_few_repetitions);
}

TEST_F(Conclusions, LeaveOutCandidatesWithWrongData) {
  RaceResult result;
  const std::vector<std::vector<double>> seconds{repetitions(1, 0.01, 2), repetitions(2, 0.01, 3)};
  result.confidence = 0.96;
  result.entries = {{.seconds = spread_of(seconds[0]), .failed_check = "rank 0: .."}, {.seconds = spread_of(seconds[1])}};
  conclude(result, seconds);
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(result.conclusion, Conclusion::fastest);
  EXPECT_FALSE(result.entries[0].to_best);
  RaceResult none;
  none.entries = {{.failed_check = "rank 0: .."}};
  conclude(none, {seconds[0]});
  EXPECT_EQ(none.conclusion, Conclusion::wrong_data);
}

}  // namespace
}  // namespace quadrille

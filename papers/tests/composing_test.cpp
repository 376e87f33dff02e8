// SPDX-License-Identifier: BSD-3-Clause
// The values of t_m for which a claim holds, compared with the formula solved by hand; the fit; the stacked parts.
#include <gtest/gtest.h>

#include <cmath>

#include "papers/exhibits/irregular_composing.hpp"

namespace quadrille::papers {
namespace {

using enum ExchangeMode;

constexpr IrregularPoint point{16, 256};

IrregularPlot plot_with(const std::vector<IrregularClaim>& claims) {
  return {"a", "sp2", TrafficKind::transpose, {point}, {{2, blocking}, {4, blocking}, {4, one_buffer}, {4, two_buffers}}, claims};
}

// S Ts + V (tau + t_m) of A4 compared with that of A2: there is one border, at (S2 - S4) Ts / (V4 - V2) - tau, in
// elements of 22 bytes.
TEST(ComposingRanges, EndAtTheSolutionOfTheFormula) {
  const auto sums = [](int algorithm) {
    std::pair<double, double> sum;
    for (const StageFigures& stage : counted_exchange(point, TrafficKind::transpose, 1, algorithm).with_own) {
      sum.first += static_cast<double>(stage.startups);
      sum.second += static_cast<double>(stage.volume);
    }
    return sum;
  };
  const auto [s2, v2] = sums(2);
  const auto [s4, v4] = sums(4);
  ASSERT_EQ(s2, 32);
  ASSERT_EQ(s4, 16);
  const double border = ((s2 - s4) * 44 / (v4 - v2)) / 22 - 0.035;
  ASSERT_GT(border, 0);
  ASSERT_LT(border, most_composing);
  const std::vector<ComposingRanges> ranges =
      composing_ranges(plot_with({is_lower({4, blocking}, {2, blocking}, {}), is_lower({2, blocking}, {4, blocking}, {}),
                                  has_ratio({4, blocking}, {2, blocking}, Relation::at_most, 0.01, {})}),
                       {});
  ASSERT_EQ(ranges[0].size(), 1u);
  EXPECT_EQ(ranges[0][0].from, 0);
  EXPECT_NEAR(ranges[0][0].to, border, 1e-5 * border);
  ASSERT_EQ(ranges[1].size(), 1u);
  EXPECT_NEAR(ranges[1][0].from, border, 1e-5 * border);
  EXPECT_NEAR(ranges[1][0].to, most_composing, 1e-12);
  EXPECT_TRUE(ranges[2].empty());
  EXPECT_EQ(composing_text(ranges[2]), "holds for no t_m up to 1 µs/byte");
  EXPECT_EQ(composing_text({{0, 1}}), "holds for any t_m up to 1 µs/byte");
  EXPECT_EQ(composing_text({{0, 0.25}, {0.5, 1}}), "holds for t_m from 0 to 0.25 µs/byte and t_m from 0.5 µs/byte on");
}

TEST(ComposingFit, IsTheWidestRangeInWhichAtMostOneClaimFewerHolds) {
  const auto claim = [](const ComposingRanges& ranges) { return ComposingClaim{15, {}, {}, ranges}; };
  const std::vector<ComposingClaim> claims{claim({{0, 0.1}}), claim({{0.01, 1}}), claim({{0.02, 0.021}}), claim({})};
  const ComposingFit fit = fit_composing(claims);
  EXPECT_EQ(fit.most, 3u);
  EXPECT_EQ(fit.most_range.from, 0.02);
  EXPECT_EQ(fit.most_range.to, 0.021);
  EXPECT_EQ(fit.range.from, 0.01);
  EXPECT_EQ(fit.range.to, 0.1);
  EXPECT_NEAR(fit.us_per_byte, std::sqrt(0.001), 1e-12);
  EXPECT_EQ(claims_held(claims, 0), 1u);
  EXPECT_EQ(claims_held(claims, 0.0205), 3u);
  const ComposingFit from_zero = fit_composing({claim({{0, 0.1}})});
  EXPECT_EQ(from_zero.range.to, 1) << "the range may leave out the only claim";
  EXPECT_NEAR(from_zero.us_per_byte, std::sqrt(1e-5), 1e-12) << "0 counts as 10^-5";
}

TEST(ExchangeParts, AddUpToTheTime) {
  const FlatModel model = flat_of_elements("sp2", 0.02);
  for (const int algorithm : {3, 4})
    for (const ExchangeMode mode : {blocking, one_buffer, two_buffers}) {
      const std::vector<StageFigures>& stages = counted_exchange(point, TrafficKind::transpose, 1, algorithm).with_own;
      const ExchangeParts parts = parts_of(stages, model, {algorithm, mode});
      EXPECT_NEAR(parts.distribute + parts.communicate + parts.collect, model_ms(stages, model, mode), 1e-8);
      EXPECT_EQ(parts.distribute > 0, algorithm == 4);
    }
  // Two of A4's four stages with 1000 elements each, and two more of the same: 20 ns for each of 22 bytes.
  StageFigures stage{.startups = 4, .messages = 4, .volume = 1000, .load = 1000};
  stage.rounds = {{.messages = 4, .bytes = 1000, .longest = 1000}};
  const ExchangeParts parts = parts_of({stage, stage, stage, stage}, model, {4, blocking});
  EXPECT_NEAR(parts.distribute, 2 * 0.44, 1e-9);
  EXPECT_NEAR(parts.collect, 2 * 0.44, 1e-9);
  EXPECT_NEAR(parts.communicate, 4 * (4 * 0.044 + 0.77), 1e-9);
}

}  // namespace
}  // namespace quadrille::papers

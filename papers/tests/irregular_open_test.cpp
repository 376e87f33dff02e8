// SPDX-License-Identifier: BSD-3-Clause
// The values of t_m for which a claim holds, compared with the formula solved by hand; the stacked parts.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "papers/exhibits/irregular_open.hpp"

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
    for (const StageFigures& stage : counted_exchange(point, TrafficKind::transpose, 1, algorithm).with_own.stages) {
      sum.first += static_cast<double>(stage.startups);
      sum.second += static_cast<double>(stage.volume);
    }
    return sum;
  };
  const auto [s2, v2] = sums(2);
  const auto [s4, v4] = sums(4);
  ASSERT_EQ(s2, 32);
  ASSERT_EQ(s4, 16);
  const double border = (((s2 - s4) * 44 / (v4 - v2)) / 22 - 0.035) / 0.035;  // as a share of t_c + t_d
  ASSERT_GT(border, 0);
  ASSERT_LT(border, most_composing);
  const std::vector<ComposingRanges> ranges =
      composing_ranges(plot_with({is_lower({4, blocking}, {2, blocking}, {}), is_lower({2, blocking}, {4, blocking}, {}),
                                  has_ratio({4, blocking}, {2, blocking}, Relation::at_most, 0.01, {})}),
                       {}, {});
  ASSERT_EQ(ranges[0].size(), 1u);
  EXPECT_EQ(ranges[0][0].from, 0);
  EXPECT_LE(ranges[0][0].to, border);
  ASSERT_EQ(ranges[1].size(), 1u);
  EXPECT_GE(ranges[1][0].from, border);
  EXPECT_NEAR(ranges[1][0].from - ranges[0][0].to, composing_grid()[1], 1e-12);
  EXPECT_NEAR(ranges[1][0].to, most_composing, 1e-12);
  EXPECT_TRUE(ranges[2].empty());
  EXPECT_EQ(composing_text(ranges[2]), "no t_m");
  EXPECT_EQ(composing_text({{0, 1}}), "every t_m");
  EXPECT_EQ(composing_text({{0, 0}}), "t_m = 0");
  EXPECT_EQ(composing_text({{0, 0.25}, {0.5, 1}}), "t_m from 0 to 0.25 and from 0.5 to 1 (t_c + t_d)");
}

// The figures from the counts alone are those of the schedules.
TEST(CountedExchange, HasTheFiguresOfTheSchedule) {
  const Coefficients costs = flat_of_elements("sp2", 0.02);
  for (const Count ranks : {4, 7, 9, 14, 16})
    for (const TrafficKind pattern : {TrafficKind::spike, TrafficKind::transpose})
      for (const auto& [most, small] : {std::pair<Bytes, Bytes>{16, 1}, {50, 4}})
        for (int algorithm = 1; algorithm <= 4; ++algorithm) {
          SCOPED_TRACE(testing::Message() << ranks << " ranks, most " << most << ", A" << algorithm);
          const Schedule schedule = make_schedule(traffic_of(ranks, pattern, most, small, 7), irregular_algorithm(algorithm));
          const CountedExchange& counted = counted_exchange({ranks, most}, pattern, 7, algorithm, small);
          for (const bool own : {false, true}) {
            const std::vector<StageFigures> expected = stage_figures(own ? with_own_messages(schedule) : schedule),
                                            &ours = (own ? counted.with_own : counted.without).stages;
            ASSERT_EQ(ours.size(), expected.size());
            for (std::size_t i = 0; i < ours.size(); ++i) {
              EXPECT_EQ(ours[i].startups, expected[i].startups);
              EXPECT_EQ(ours[i].volume, expected[i].volume);
              EXPECT_EQ(ours[i].messages, expected[i].messages);
              EXPECT_EQ(ours[i].load, expected[i].load);
              EXPECT_EQ(ours[i].name, expected[i].name);
              EXPECT_EQ(ours[i].windows[0].chain, expected[i].windows[0].chain);
            }
            for (const ExchangeMode mode : {blocking, one_buffer, two_buffers})
              EXPECT_NEAR(model_ms({.stages = ours}, costs, mode), model_ms({.stages = expected}, costs, mode), 1e-8);
          }
        }
}

// A small number leaves out the points whose longest message is not long.
TEST(OpenValues, KeepPointsWhoseLongMessagesAreLong) {
  IrregularPlot plot = plot_with({});
  plot.points = over_lengths(16, 8, 64);
  EXPECT_EQ(with_small(plot, few, {}).points.size(), 4u);
  EXPECT_EQ(with_small(plot, 4, {}).points.front().most, 16);
  EXPECT_EQ(with_small(plot, few, {.small = true}).points.size(), 2u);
}

// More elements in the small messages, and messages to oneself, take longer.
TEST(OpenValues, ChangeTheTimes) {
  const IrregularPlot plot = plot_with({});
  const auto at = [&](Bytes small, bool with_own) { return model_times(plot, {}, 0, small, with_own)[0].at({4, blocking}); };
  EXPECT_LT(at(1, true), at(4, true));
  EXPECT_LT(at(1, false), at(1, true));
}

// Pattern1 sends long messages to random targets: each draw is another problem. The figures show the mean of the first draws.
TEST(Draws, AreSeveralAndDiffer) {
  EXPECT_EQ(draws_tried(TrafficKind::transpose, {}), 1u) << "nothing is random";
  const std::uint64_t draws = draws_tried(TrafficKind::spike, {}), shown = draws_of(TrafficKind::spike, {});
  ASSERT_GE(draws, 10u);
  ASSERT_GE(shown, 2u);
  IrregularPlot plot = plot_with({});
  plot.pattern = TrafficKind::spike;
  std::set<std::vector<std::tuple<Rank, Rank, Bytes>>> problems;
  std::set<double> times;
  double sum = 0;
  for (std::uint64_t draw = 1; draw <= draws; ++draw) {
    const Problem problem = traffic_of(point.ranks, TrafficKind::spike, point.most, few, draw);
    std::vector<std::tuple<Rank, Rank, Bytes>> entries;
    for (Rank from = 0; from < point.ranks; ++from)
      for (const Share& share : Traffic(problem).sent_by(from)) entries.emplace_back(from, share.peer, share.bytes);
    problems.insert(entries);
    const double time = model_times(plot, {}, 0, few, true, draw)[0].at({4, blocking});
    times.insert(time);
    if (draw <= shown) sum += time;
  }
  EXPECT_EQ(problems.size(), draws);
  EXPECT_GT(times.size(), 1u);
  EXPECT_NEAR(model_times(plot, {}, 0)[0].at({4, blocking}), sum / static_cast<double>(shown), 1e-9);
}

// A claim that holds for some draws only is not testable, and the verdict says that it was compared with draws, and how many.
TEST(Draws, AreNamedWhereTheyDecide) {
  IrregularPlot plot{"a", "sp2", TrafficKind::spike, {point}, {{1, blocking}, {4, blocking}}, {}};
  Extremes ratios;
  for (std::uint64_t draw = 1; draw <= draws_tried(plot.pattern, {}); ++draw) {
    const CurveTimes times = model_times(plot, {}, 0, few, true, draw)[0];
    ratios.add(times.at({4, blocking}) / times.at({1, blocking}));
  }
  ASSERT_LT(ratios.least, ratios.most);
  const double between = (ratios.least + ratios.most) / 2;
  plot.claims = {has_ratio({4, blocking}, {1, blocking}, Relation::at_most, between, {"words", "place"})};
  const HeldClaims held = held_claims(plot, {}, {});
  const std::vector<std::vector<bool>>& without_composing = held.front();
  ASSERT_EQ(without_composing.size(), draws_tried(plot.pattern, {}));
  const auto holding = std::count(without_composing.begin(), without_composing.end(), std::vector{true});
  EXPECT_GT(holding, 0);
  EXPECT_LT(holding, std::ssize(without_composing));

  const std::string draws = fmt::format("{} draws", draws_tried(plot.pattern, {}));
  const Reproduction made = reproduction_of({plot}, {});
  ASSERT_EQ(made.comparisons.size(), 1u);
  EXPECT_EQ(outcome_of(made.comparisons[0]), Outcome::not_testable);
  EXPECT_LE(made.comparisons[0].open->least, ratios.least);
  EXPECT_GE(made.comparisons[0].open->most, ratios.most);
  EXPECT_NE(finding_of(made.comparisons[0]).find("with at least one of " + draws), std::string::npos)
      << finding_of(made.comparisons[0]);
  EXPECT_NE(fmt::format("{}", fmt::join(made.remarks, " ")).find(draws), std::string::npos);
  plot.pattern = TrafficKind::transpose;
  EXPECT_EQ(finding_of(reproduction_of({plot}, {}).comparisons[0]).find(" draws"), std::string::npos);
}

TEST(ExchangeParts, AddUpToTheTime) {
  const Coefficients costs = flat_of_elements("sp2", 0.02);
  for (const int algorithm : {3, 4})
    for (const ExchangeMode mode : {blocking, one_buffer, two_buffers}) {
      const Workload& work = counted_exchange(point, TrafficKind::transpose, 1, algorithm).with_own;
      const ExchangeParts parts = parts_of(work, costs, {algorithm, mode});
      EXPECT_NEAR(parts.distribute + parts.communicate + parts.collect, model_ms(work, costs, mode), 1e-8);
      EXPECT_EQ(parts.distribute > 0, algorithm == 4);
    }
  // Two of A4's four stages with 1000 elements each, and two more of the same: 20 ns for each of 22 bytes.
  StageFigures stage{.startups = 4, .messages = 4, .volume = 1000, .load = 1000};
  stage.rounds = {{.messages = 4, .bytes = 1000, .longest = 1000}};
  const ExchangeParts parts = parts_of({.stages = {stage, stage, stage, stage}}, costs, {4, blocking});
  EXPECT_NEAR(parts.distribute, 2 * 0.44, 1e-9);
  EXPECT_NEAR(parts.collect, 2 * 0.44, 1e-9);
  EXPECT_NEAR(parts.communicate, 4 * (4 * 0.044 + 0.77), 1e-9);
}

}  // namespace
}  // namespace quadrille::papers

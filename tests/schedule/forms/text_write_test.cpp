// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>

#include "schedule/forms/documents.hpp"
#include "support/cases.hpp"
#include "support/small_documents.hpp"

namespace quadrille {
namespace {

using testing::only_schedule;
using testing::schedule_of;

void expect_round_trip(const Schedule& schedule) {
  const std::string text = text_of(schedule);
  const Schedule read = only_schedule(text);
  EXPECT_EQ(members(read.problem), members(schedule.problem));
  EXPECT_EQ(read.algorithm, schedule.algorithm);
  EXPECT_EQ(read.parameters, schedule.parameters);
  EXPECT_EQ(read.stated_input_bytes, schedule.stated_input_bytes);
  EXPECT_EQ(read.stated_output_bytes, schedule.stated_output_bytes);
  EXPECT_TRUE(programs_of(read) == programs_of(schedule)) << text;
  EXPECT_EQ(text_of(read), text);
}

TEST(Text, KeepsEverySchedule) {
  for_each_schedule(testing::extent<Count>(6, 7, 9), {0, 1, 8, 1000},
                    [](const Schedule& schedule) { expect_round_trip(schedule); });
}

TEST(Text, KeepsTheProblemOfEveryCollective) {
  for (const Collective collective : all_collectives()) {
    Problem problem = problem_of(collective, 4, 12);
    problem.nodes = {0, 0, -3, 7};
    problem.grid = {2, 2};
    if (is_reduction(collective)) problem.element_bytes = 4;
    expect_round_trip(schedule_of(problem, {{0}, {1}, {2}, {3}}));
    if (is_reduction(collective)) problem.commutative = false;
    expect_round_trip(schedule_of(problem, {{0}, {1}, {2}, {3}}));
    if (is_reduction(collective)) problem.reproducible = true;
    expect_round_trip(schedule_of(problem, {{0}, {1}, {2}, {3}}));
  }
}

TEST(Text, KeepsWrongSchedulesUnchanged) {
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  Program first{.rank = 0, .scratch_bytes = most, .stages = {{"one", 0, 2}, {"", 2, 0}, {"two\n\"#\" \xc3\xa9", 7, 1}}};
  Program second{.rank = 1, .scratch_bytes = 0, .stages = {{"other", 3, most - 3}}};
  Program third{.rank = 2};
  Round round{.number = 3};
  round.locals.push_back(
      {LocalKind::reduce, OperandOrder::target_first, {}, {{Buffer::input, -most, most, {{{0, -1}, {1, 0}, {most, most}}}}}});
  round.locals.push_back({LocalKind::reduce, OperandOrder::source_first, {{Buffer::scratch, 0, 0, {}}}, {}});
  round.locals.push_back({LocalKind::copy, {}, {}, {}});
  round.sends.push_back({0, {{Buffer::output, 1, 2, {{{}, {3, 4}, {}}}}}, Port{2, -1}});
  round.sends.push_back({-7, {}, Port{0, 1}});
  round.receives.push_back({most, {{Buffer::output, 1, 2, {}}, {Buffer::output, 1, 2, {}}}, {}});
  round.control_sends.push_back({1, 64});
  round.control_receives.push_back({1, 0});
  second.rounds = {round, {.number = 0}, round, round};
  Schedule schedule = schedule_of(Problem::alltoall(3, 8), {first, second, third});
  schedule.parameters = {{"radix", Count{-2}}, {"form", "plain"}, {"digits", "17"}, {"empty", ""}, {"odd name", "odd \\ value"}};
  schedule.stated_input_bytes = {24, 0, most};
  schedule.stated_output_bytes = {1, 2, 3};
  expect_round_trip(schedule);
}

TEST(Text, RefusesToWriteInvalidText) {
  Schedule schedule = make_schedule(Problem::alltoall(2, 1), "direct");
  schedule.algorithm = "\xff";
  EXPECT_THROW(text_of(schedule), Error);
}

}  // namespace
}  // namespace quadrille

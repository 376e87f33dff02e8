// SPDX-License-Identifier: BSD-3-Clause
// Tests trials in place: which way runs which call, and what follows from the times.
#include "mpi_face/policy/alternation.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace quadrille::mpi_face {
namespace {

using End = Alternation::End;

// Runs the calls of one part with the time that `seconds` gives for a way. Returns the order of the ways.
std::vector<int> run_part(Alternation& trial, const std::function<double(int)>& seconds) {
  std::vector<int> order;
  while (!trial.is_due()) {
    order.push_back(trial.next());
    trial.count(seconds(trial.next()));
  }
  return order;
}

struct Outcome {
  End end;
  int best, calls;
};

// Runs a whole trial among four ranks that measure the same times.
Outcome run(int contenders, double bar, const std::function<double(int)>& seconds) {
  Alternation trial(contenders, bar);
  int calls = 0;
  while (true) {
    calls += static_cast<int>(run_part(trial, seconds).size());
    std::vector<double> sums = trial.times();
    for (double& sum : sums) sum *= 4;
    const auto conclusion = trial.concluded(sums);
    if (conclusion.end != End::goes_on) return {conclusion.end, conclusion.best, calls};
    trial.go_on(conclusion.remaining);
  }
}

// The warm-up decides nothing, whatever its times are. Returns a trial that is warm.
Alternation warm(int contenders, const std::function<double(int)>& seconds) {
  Alternation trial(contenders, 0.9);
  run_part(trial, seconds);
  const auto conclusion = trial.concluded(trial.times());
  EXPECT_EQ(conclusion.end, End::goes_on);
  EXPECT_EQ(conclusion.remaining, (1u << contenders) - 1);
  trial.go_on(conclusion.remaining);
  return trial;
}

TEST(Alternation, TakesTurnsAndReversesTheOrder) {
  Alternation trial(2, 0.9);
  const auto second = [](int) { return 1.0; };
  EXPECT_EQ(run_part(trial, second), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(trial.next(), Alternation::vendor) << "until the ranks have met, the MPI library runs the calls";
  trial.count(7);
  EXPECT_EQ(trial.times(), (std::vector<double>{1, 1, 1})) << "calls after the trial is due do not count";
  EXPECT_EQ(trial.of_way(trial.times(), 1), std::vector<double>()) << "nor does the warm-up in what is concluded";
  trial.go_on(3);
  EXPECT_EQ(run_part(trial, second), (std::vector<int>{2, 2, 2, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(trial.of_way(trial.times(), 1), (std::vector<double>{1}));
}

TEST(Alternation, TakesTheFastestWay) {
  const Outcome two = run(2, 0.9, [](int way) { return way == 0 ? 1.0 : way == 1 ? 0.8 : 0.7; });
  EXPECT_EQ(two.end, End::taken);
  EXPECT_EQ(two.best, 1);
}

TEST(Alternation, LeavesWhatDoesNotGainEnough) {
  EXPECT_EQ(run(1, 0.9, [](int way) { return way == 0 ? 1.0 : 0.95; }).end, End::left);
  EXPECT_EQ(run(1, 1.0, [](int way) { return way == 0 ? 1.0 : 0.95; }).end, End::taken) << "the bar is lower in a later trial";
  EXPECT_EQ(run(1, 1.0, [](int way) { return way == 0 ? 1.0 : 1.05; }).end, End::left);
}

TEST(Alternation, EndsEarlyIfTheResultIsClear) {
  const Outcome faster = run(1, 0.9, [](int way) { return way == 0 ? 1.0 : 0.3; });
  const Outcome slower = run(1, 0.9, [](int way) { return way == 0 ? 1.0 : 3.0; });
  const Outcome near = run(1, 0.9, [](int way) { return way == 0 ? 1.0 : 0.8; });
  EXPECT_EQ(faster.end, End::taken);
  EXPECT_EQ(slower.end, End::left);
  EXPECT_LT(faster.calls, near.calls);
  EXPECT_LT(slower.calls, near.calls);
}

TEST(Alternation, DropsContendersThatAreFarSlower) {
  const auto seconds = [](int way) { return way == 0 ? 1.0 : way == 1 ? 2.0 : 0.8; };
  Alternation trial = warm(2, [](int way) { return way == 2 ? 9.0 : 1.0; });
  run_part(trial, seconds);
  const auto conclusion = trial.concluded(trial.times());
  EXPECT_EQ(conclusion.end, End::goes_on);
  EXPECT_EQ(conclusion.remaining, 2u);
  trial.go_on(conclusion.remaining);
  EXPECT_EQ(run_part(trial, seconds), (std::vector<int>{0, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0, 0}));
  EXPECT_EQ(trial.of_way(trial.times(), 2), (std::vector<double>{0.8, 0.8, 0.8}));
}

// In a program's loop calls overlap. The first call of a turn follows another way's.
TEST(Alternation, CountsCallsThatFollowOneOfTheSameWay) {
  int before = -1;
  const auto seconds = [&](int way) { return std::exchange(before, way) != way ? 10.0 : way == 0 ? 1.0 : 0.8; };
  Alternation trial = warm(1, seconds);
  run_part(trial, seconds);
  EXPECT_EQ(trial.times(), (std::vector<double>{10.0, 10.0, 1.0, 0.8})) << "warm-up first";
}

// A single disturbed call must not decide.
TEST(Alternation, GoesByMedians) {
  int call = 0;
  const auto seconds = [&](int way) { return way == 0 ? 1.0 : ++call == 6 ? 50.0 : 0.5; };
  EXPECT_EQ(run(1, 0.9, seconds).end, End::taken);
}

TEST(Alternation, EndsAlsoIfTheResultStaysNearTheBar) {
  const Outcome outcome = run(2, 0.9, [](int way) { return way == 0 ? 1.0 : 0.9; });
  EXPECT_EQ(outcome.end, End::taken);
  EXPECT_LE(outcome.calls, 3 * (1 + 9 * Alternation::calls_of_turn));
}

TEST(Alternation, CountsWhatTheSlowerWaysHaveLost) {
  const auto seconds = [](int way) { return way == 0 ? 1.0 : way == 1 ? 3.0 : 1.5; };
  Alternation trial(2, 0.9);
  run_part(trial, seconds);
  EXPECT_DOUBLE_EQ(trial.excess_s(), 2.5) << "one call of each way";
  EXPECT_DOUBLE_EQ(trial.expected_excess(trial.times(), 3), 2.5 * Alternation::calls_of_turn);
  EXPECT_DOUBLE_EQ(trial.expected_excess(trial.times(), 2), 0.5 * Alternation::calls_of_turn);
  trial.go_on(3);
  run_part(trial, seconds);
  EXPECT_DOUBLE_EQ(trial.excess_s(), 2.5 * Alternation::calls_of_turn) << "of this part only";
  EXPECT_DOUBLE_EQ(trial.expected_excess(trial.times(), 2), 0.5 * 2 * Alternation::calls_of_turn) << "two rounds follow";
}

TEST(Alternation, ExpectsNoExcessOfAFasterContender) {
  Alternation trial(1, 0.9);
  run_part(trial, [](int way) { return way == 0 ? 1.0 : 0.4; });
  EXPECT_DOUBLE_EQ(trial.expected_excess(trial.times(), 1), 0);
  EXPECT_DOUBLE_EQ(trial.excess_s(), 0) << "without the trial, the MPI library would have run its calls, too";
}

}  // namespace
}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/kind.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace quadrille::mpi_face {
namespace {

TEST(Trials, TimeMoreCallsTogetherTheFewerBytesTheyMove) {
  EXPECT_EQ(batch_of_trial(0), 32);
  EXPECT_EQ(batch_of_trial(4096), 32);
  EXPECT_EQ(batch_of_trial(4097), 8);
  EXPECT_EQ(batch_of_trial(65536), 8);
  EXPECT_EQ(batch_of_trial(65537), 4);
  EXPECT_EQ(batch_of_trial(1 << 20), 4);
  EXPECT_EQ(batch_of_trial((1 << 20) + 1), 2);
}

TEST(Trials, AreAFewPercentOfAllCalls) {
  for (const Bytes moved : {0, 10'000, 100'000, 10'000'000}) {
    const auto calls_of_trial = static_cast<std::uint64_t>(2 * repetitions_of_trial * batch_of_trial(moved));
    for (std::uint64_t calls = 0; calls < 100'000; calls = 2 * calls + 1) {
      const std::uint64_t next = next_epoch(calls, moved);
      EXPECT_TRUE(std::has_single_bit(next));
      EXPECT_GT(next, calls);
      EXPECT_GE(next, 32 * calls_of_trial);
    }
  }
  EXPECT_EQ(next_epoch(8191, 0), 8192u);
  EXPECT_EQ(next_epoch(8192, 0), 16384u);
}

TEST(Trials, AreRepeatedOnceIfLostByLittle) {
  EXPECT_EQ(second_trial_after(100, 0.95), 400u);
  EXPECT_EQ(second_trial_after(100, 1.29), 400u);
  EXPECT_EQ(second_trial_after(100, 1.3), std::nullopt);
}

TEST(Trials, CompareTheTimesOfEachRepetition) {
  EXPECT_EQ((TrialTimes{{1, 6, 2}, {2, 4, 4}}.ratio()), 0.5);  // of 0.5, 1.5 and 0.5
  EXPECT_EQ((TrialTimes{{3}, {2}}.ratio()), 1.5);
  EXPECT_GT((TrialTimes{{1}, {0}}.ratio()), 1e8);  // the clock did not advance
}

TEST(CallTimes, EstimatesACallByTheMeanUntilAWindowIsFull) {
  CallTimes times;
  for (const std::uint64_t ticks : {100u, 100u, 100u, 100u, 100u, 100u, 107u}) times.count(ticks);
  EXPECT_EQ(times.calls(), 7u);
  EXPECT_EQ(times.ticks(), 707u);
  EXPECT_EQ(times.ticks_of_call(), 101);
  times.count(93);
  EXPECT_EQ(times.ticks_of_call(), 100);
}

TEST(CallTimes, EstimatesACallByTheShortestWindow) {
  CallTimes times;
  const auto window = [&](std::uint64_t ticks) {
    for (std::uint64_t i = 0; i < CallTimes::calls_of_window; ++i) times.count(ticks);
  };
  window(300);
  window(200);
  window(250);
  EXPECT_EQ(times.ticks_of_call(), 200);
  times.count(1);  // a window that is not full does not count
  EXPECT_EQ(times.ticks_of_call(), 200);
  EXPECT_EQ(times.calls(), 3 * CallTimes::calls_of_window + 1);
}

}  // namespace
}  // namespace quadrille::mpi_face

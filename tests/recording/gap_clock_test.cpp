// SPDX-License-Identifier: BSD-3-Clause
// What counts as computing between two calls.
#include "recording/gap_clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace quadrille::recording {
namespace {

constexpr double one_per_ns = 1e9;  // ticks per second

TEST(GapClock, SplitsWallTimeIntoComputingAndTimeAway) {
  const GapClock clock(one_per_ns);
  const auto expect = [&](std::uint64_t wall, std::uint64_t computed, std::uint64_t computing, std::uint64_t away) {
    const Gap gap = clock.split(wall, computed);
    EXPECT_EQ(gap.computing, computing);
    EXPECT_EQ(gap.away, away);
  };
  expect(1'000'000, 400'000, 400'000, 600'000);
  expect(1'000'000, 960'000, 960'000, 0);  // the clocks differ by a twentieth
  expect(30'000, 21'000, 21'000, 0);       // or by 10 us
  expect(30'000, 40'000, 30'000, 0);       // never more than wall time
}

// A tick is a nanosecond. Reading the processor's time of the thread takes 200 ns of it.
struct TestClocks {
  static inline std::uint64_t wall = 0;
  static inline std::int64_t thread = 0;
  static std::uint64_t ticks() { return wall; }
  static std::int64_t thread_ns() { return wall += 200, thread += 200; }

  static void compute(std::uint64_t ns) { wall += ns, thread += static_cast<std::int64_t>(ns); }
  static void sleep(std::uint64_t ns) { wall += ns; }
};
using TestGapClock = GapClockBy<TestClocks>;

template <class Clock>
Gap ended(Clock& clock) {
  std::uint64_t now = 0;
  return clock.end(now);
}

TEST(GapClock, SleepIsTimeAway) {
  TestGapClock clock(one_per_ns);
  Pace pace;
  clock.begin(pace);
  TestClocks::compute(1'000'000);
  TestClocks::sleep(3'000'000);
  const Gap gap = ended(clock);
  EXPECT_TRUE(pace.is_long);
  EXPECT_EQ(gap.computing, 1'000'000u) << "without what it takes to read the clock";
  EXPECT_EQ(gap.away, 3'000'000u);
}

// The clocks of the processor, whose ticks are not nanoseconds.
TEST(GapClock, SleepIsTimeAwayByTheClocksOfTheProcessor) {
  const TickMoment begin = TickMoment::now();
  ::usleep(2000);
  const double per_second = tick_rate(begin, TickMoment::now());
  GapClock clock(per_second);
  Pace pace;
  clock.begin(pace);
  ::usleep(3000);
  EXPECT_GT(static_cast<double>(ended(clock).away), 0.0025 * per_second);
}

// A short gap tells that the next one will be short, too: that one is measured by the tick counter, and tells of the third.
TEST(GapClock, AGapAfterAShortOneIsWallTime) {
  TestGapClock clock(one_per_ns);
  Pace pace{.is_long = false};
  clock.begin(pace);
  TestClocks::sleep(3'000'000);
  const Gap gap = ended(clock);
  EXPECT_EQ(gap.away, 0u);
  EXPECT_EQ(gap.computing, 3'000'000u);
  EXPECT_TRUE(pace.is_long);
}

TEST(GapClock, WallTimeHasNoTimeAway) {
  TestGapClock clock(one_per_ns);
  clock.use_wall_time();
  Pace pace{.is_long = true};
  clock.begin(pace);
  TestClocks::sleep(3'000'000);
  const Gap gap = ended(clock);
  EXPECT_EQ(gap.away, 0u);
  EXPECT_EQ(gap.computing, 3'000'000u);
}

TEST(GapClock, ShortGapsAreNotLong) {
  for (const std::uint64_t ns : {20'000, 20'001}) {
    TestGapClock clock(one_per_ns);
    clock.use_wall_time();
    Pace pace;
    clock.begin(pace);
    TestClocks::compute(ns);
    ended(clock);
    EXPECT_EQ(pace.is_long, ns > 20'000);
  }
}

}  // namespace
}  // namespace quadrille::recording

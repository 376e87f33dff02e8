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

Gap ended(GapClock& clock) {
  std::uint64_t now = 0;
  return clock.end(now);
}

double rate() {
  const TickMoment begin = TickMoment::now();
  ::usleep(2000);
  return tick_rate(begin, TickMoment::now());
}

TEST(GapClock, SleepIsTimeAway) {
  const double per_second = rate();
  GapClock clock(per_second);
  Pace pace;
  clock.begin(pace);
  ::usleep(3000);
  const Gap gap = ended(clock);
  EXPECT_TRUE(pace.is_long);
  EXPECT_GT(static_cast<double>(gap.away), 0.0025 * per_second);
}

// A short gap tells that the next one will be short, too: that one is measured by the tick counter, and tells of the third.
TEST(GapClock, AGapAfterAShortOneIsWallTime) {
  const double per_second = rate();
  GapClock clock(per_second);
  Pace pace{.is_long = false};
  clock.begin(pace);
  ::usleep(3000);
  const Gap gap = ended(clock);
  EXPECT_EQ(gap.away, 0u);
  EXPECT_GT(static_cast<double>(gap.computing), 0.0025 * per_second);
  EXPECT_TRUE(pace.is_long);
}

TEST(GapClock, WallTimeHasNoTimeAway) {
  const double per_second = rate();
  GapClock clock(per_second);
  clock.use_wall_time();
  Pace pace{.is_long = true};
  clock.begin(pace);
  ::usleep(3000);
  const Gap gap = ended(clock);
  EXPECT_EQ(gap.away, 0u);
  EXPECT_GT(static_cast<double>(gap.computing), 0.0025 * per_second);
}

TEST(GapClock, ShortGapsAreNotLong) {
  GapClock clock(1e18);  // so that 20 us are more ticks than this takes
  Pace pace;
  clock.begin(pace);
  ended(clock);
  EXPECT_FALSE(pace.is_long);
}

}  // namespace
}  // namespace quadrille::recording

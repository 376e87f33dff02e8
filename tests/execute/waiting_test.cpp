// SPDX-License-Identifier: BSD-3-Clause
// Tests how ranks wait: when they drive progress, read the clock, and sleep.
#include "execute/waiting.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

using Clock = std::chrono::steady_clock;

int polls = 0;

Progress counted_progress() {
  polls = 0;
  Progress progress;
  progress.poll = [] {
    ++polls;
    return true;
  };
  return progress;
}

TEST(LongSince, IsOverOnceInEachSpanOfTime) {
  LongSince looks(std::chrono::milliseconds(20));
  const auto start = Clock::now();
  int times = 0;
  while (times < 2)
    if (looks.is_over()) ++times;
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(40));
}

TEST(LongSince, ReadsTheClockOnlyNowAndThen) {
  LongSince looks(std::chrono::nanoseconds(0));
  for (int call = 1; call <= 256; ++call) EXPECT_EQ(looks.is_over(), call % 64 == 0) << call;
}

// A short wait does not drive progress; a longer one does so once in many pauses.
TEST(Backoff, DrivesProgressNowAndThenWhileItSpins) {
  const Progress progress = counted_progress();
  Backoff backoff(progress);
  for (int pause = 0; pause < 63; ++pause) EXPECT_FALSE(backoff.pause());
  EXPECT_EQ(polls, 0);
  for (int pause = 63; pause < 640; ++pause) EXPECT_FALSE(backoff.pause());
  EXPECT_EQ(polls, 10);
}

TEST(Backoff, ChecksPeersEveryTenthOfASecond) {
  const Progress progress = counted_progress();
  Backoff backoff(progress);
  const auto start = Clock::now();
  for (int question = 1; question <= 2; ++question) {
    int pauses = 1;
    while (!backoff.pause()) ++pauses;
    EXPECT_GE(Clock::now() - start, question * std::chrono::milliseconds(100));
    // It sleeps for up to a millisecond at a time, so a wait that has become long takes few pauses.
    if (question == 2) EXPECT_LT(pauses, 1000);
  }
}

TEST(Patience, EndsSoonIfYieldingDoesNotReachTheOtherRanks) {
  const Progress progress = counted_progress();
  Patience patience(false, progress);
  for (int yield = 1; yield < 16; ++yield) EXPECT_FALSE(patience.is_over()) << yield;
  EXPECT_TRUE(patience.is_over());
  EXPECT_EQ(polls, 4) << "progress is driven at every fourth yield";
}

TEST(Patience, YieldsForAMillisecondIfThatReachesTheOtherRanks) {
  const Progress progress = counted_progress();
  Patience patience(true, progress);
  const auto start = Clock::now();
  for (int yield = 0; yield < 16; ++yield) EXPECT_FALSE(patience.is_over());  // after these yields it measures time
  while (!patience.is_over()) continue;
  EXPECT_GT(Clock::now() - start, std::chrono::milliseconds(1));
}

TEST(Patience, DrivesProgressBeforeEverySleep) {
  const Progress progress = counted_progress();
  Patience patience(false, progress);
  while (!patience.is_over()) continue;
  const int before = polls;
  for (int sleep = 0; sleep < 5; ++sleep) EXPECT_TRUE(patience.is_over());
  EXPECT_EQ(polls, before + 5);
}

}  // namespace
}  // namespace quadrille

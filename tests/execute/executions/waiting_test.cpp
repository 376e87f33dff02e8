// SPDX-License-Identifier: BSD-3-Clause
// Tests how ranks wait: when they drive progress, read the clock, and sleep. Time passes only as the tests say.
#include "execute/executions/waiting.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

using namespace std::chrono_literals;

// A yield takes 10 us, a sleep as long as it was asked to.
struct TestTime {
  using Point = std::chrono::steady_clock::time_point;
  static inline Point time;
  static inline std::chrono::nanoseconds slept;
  static Point now() { return time; }
  static void sleep(std::chrono::nanoseconds duration) { time += duration, slept += duration; }
  static void yield() { time += 10us; }
};

class Waiting : public ::testing::Test {
 protected:
  Waiting() {
    TestTime::time = TestTime::Point{} + 1h;
    TestTime::slept = 0ns;
    polls = 0;
    progress.poll = [] {
      ++polls;
      TestTime::yield();
      return true;
    };
  }

  static std::chrono::nanoseconds passed() { return TestTime::time - (TestTime::Point{} + 1h); }

  static inline int polls = 0;
  Progress progress;
};

using LongSinceTest = Waiting;
using BackoffTest = Waiting;
using PatienceTest = Waiting;

TEST_F(LongSinceTest, IsOverOnceInEachSpanOfTime) {
  LongSinceBy<TestTime> looks(20ms);
  int times = 0;
  for (int call = 1; call <= 64 * 45; ++call) {
    if (looks.is_over()) {
      EXPECT_EQ(passed() / 1ms, 20 * ++times) << "the first look, at 0 ms, begins the first span";
    }
    if (call % 64 == 0) TestTime::time += 1ms;
  }
  EXPECT_EQ(times, 2);
}

TEST_F(LongSinceTest, ReadsTheClockOnlyNowAndThen) {
  LongSinceBy<TestTime> looks(0ns);
  for (int call = 1; call <= 256; ++call) EXPECT_EQ(looks.is_over(), call % 64 == 0) << call;
}

// A short wait does not drive progress; a longer one does so once in many pauses.
TEST_F(BackoffTest, DrivesProgressNowAndThenWhileItSpins) {
  BackoffBy<TestTime> backoff(progress);
  for (int pause = 0; pause < 63; ++pause) EXPECT_FALSE(backoff.pause());
  EXPECT_EQ(polls, 0);
  for (int pause = 63; pause < 640; ++pause) EXPECT_FALSE(backoff.pause());
  EXPECT_EQ(polls, 10);
}

TEST_F(BackoffTest, ChecksPeersEveryTenthOfASecond) {
  BackoffBy<TestTime> backoff(progress);
  while (!backoff.pause()) ASSERT_LT(passed(), 200ms);
  EXPECT_GE(passed(), 100ms);
  EXPECT_LT(passed(), 110ms);
  while (!backoff.pause()) ASSERT_LT(passed(), 300ms);
  EXPECT_GE(passed(), 200ms);
  EXPECT_LT(passed(), 210ms);
}

// A rank that waits for long leaves its core to others: it sleeps nearly all of the time, but never for long at once.
TEST_F(BackoffTest, SleepsMostOfALongWait) {
  BackoffBy<TestTime> backoff(progress);
  for (auto before = TestTime::slept; passed() < 1s; before = TestTime::slept) {
    backoff.pause();
    ASSERT_LE(TestTime::slept - before, 1ms);
    if (passed() < 1ms) ASSERT_EQ(TestTime::slept, 0ns) << "a short wait does not sleep";
  }
  EXPECT_GT(TestTime::slept, 950ms);
}

TEST_F(BackoffTest, YieldsIfProgressDoesNot) {
  const Progress none;
  BackoffBy<TestTime> backoff(none);
  while (passed() == 0ns) backoff.pause();
  EXPECT_EQ(passed(), 10us);
}

TEST_F(PatienceTest, EndsSoonIfYieldingDoesNotReachTheOtherRanks) {
  PatienceBy<TestTime> patience(false, progress);
  for (int yield = 1; yield < 16; ++yield) EXPECT_FALSE(patience.is_over()) << yield;
  EXPECT_TRUE(patience.is_over());
  EXPECT_EQ(polls, 4) << "progress is driven at every fourth yield";
}

TEST_F(PatienceTest, YieldsForAMillisecondIfThatReachesTheOtherRanks) {
  PatienceBy<TestTime> patience(true, progress);
  while (!patience.is_over()) ASSERT_LT(passed(), 2ms);
  EXPECT_GT(passed(), 1160us) << "16 yields before the first look at the clock, and more than 1 ms after it";
  EXPECT_LT(passed(), 1500us);
}

TEST_F(PatienceTest, DrivesProgressOnceAfterManyShortWaits) {
  for (int wait = 1; wait <= 200; ++wait) {
    progress.count_start();
    EXPECT_FALSE(PatienceBy<TestTime>(true, progress).is_over());
  }
  EXPECT_EQ(polls, 3) << "at the first yield after each 64 starts";
}

TEST_F(PatienceTest, ARankThatNeverWaitsDrivesProgress) {
  for (int start = 1; start <= 300; ++start) progress.count_start();
  EXPECT_EQ(polls, 2) << "after each 128 starts";
}

TEST_F(PatienceTest, DrivesProgressBeforeEverySleep) {
  PatienceBy<TestTime> patience(false, progress);
  while (!patience.is_over()) continue;
  const int before = polls;
  for (int sleep = 0; sleep < 5; ++sleep) EXPECT_TRUE(patience.is_over());
  EXPECT_EQ(polls, before + 5);
}

}  // namespace
}  // namespace quadrille

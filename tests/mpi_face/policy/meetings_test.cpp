// SPDX-License-Identifier: BSD-3-Clause
// Tests when ranks meet.
#include "mpi_face/policy/meetings.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quadrille::mpi_face {
namespace {

std::vector<int> calls_with_a_meeting(Count ranks, double price_s, int calls) {
  Meetings meetings(ranks);
  std::vector<int> met;
  for (int call = 1; call <= calls; ++call)
    if (meetings.counts(price_s)) met.push_back(call);
  return met;
}

TEST(Meetings, OfShortCallsBeginWithThe64th) {
  EXPECT_EQ(calls_with_a_meeting(24, 1e-9, 1000), (std::vector<int>{64, 128, 256, 512}));
}

TEST(Meetings, OfLongCallsBeginEarlier) {
  EXPECT_EQ(calls_with_a_meeting(24, 1e-3, 40), (std::vector<int>{4, 8, 16, 32}));
  EXPECT_EQ(calls_with_a_meeting(24, 64 * 10e-6 / 16, 40), (std::vector<int>{16, 32}));
}

// Broadcasts between calls that synchronise rarely.
TEST(Meetings, AreEarlierIfOtherCallsHaveCostMuch) {
  Meetings meetings(24);
  std::vector<int> met;
  for (int call = 1; call <= 20; ++call) {
    for (int other = 0; other < 10; ++other) meetings.adds(64 * 10e-6 / 70);
    if (meetings.counts(1e-9)) met.push_back(call);
  }
  EXPECT_EQ(met, (std::vector<int>{8, 16}));
}

TEST(Meetings, AreNeverBeforeTheFourthCall) { EXPECT_EQ(calls_with_a_meeting(2, 100, 3), std::vector<int>()); }

TEST(Meetings, MayBeInACallThatRank0Names) {
  Meetings first(8), other(8);
  const auto next_after = [](Meetings& meetings, int calls) {
    int met = 0;
    for (int call = 1; call <= calls; ++call)
      if (meetings.counts(0) && met == 0) met = call;
    return met;
  };
  EXPECT_EQ(next_after(first, 64), 64);
  next_after(other, 64);
  EXPECT_EQ(first.wanted(1.3), 88u) << "rounded up to a multiple of 8";
  EXPECT_EQ(first.wanted(1.0), 72u) << "not this call again";
  EXPECT_EQ(first.wanted(5), 0u) << "the 128th is earlier";
  const std::uint64_t named = first.wanted(1.3);
  for (Meetings* const each : {&first, &other}) {
    each->meet_at(named);
    EXPECT_EQ(next_after(*each, 63), 24);
    EXPECT_EQ(next_after(*each, 1), 1) << "the 128th remains";
  }
  first.meet_at(128);
  EXPECT_EQ(next_after(first, 127), 0) << "a call of the past is no meeting";
}

// How many of the calls, which last `call_s` and have a price of `price_s`, are measured.
int measured(Count ranks, double price_s, double call_s, double cost_s, int calls) {
  Sampling sampling(ranks);
  int count = 0, last = 0;
  for (int i = 1; i <= calls; ++i) {
    if (!sampling.counts(price_s)) continue;
    sampling.go_on(sampling.interval((i - last) * call_s, cost_s));
    last = i;
    ++count;
  }
  return count;
}

TEST(Sampling, TakesHalfAPercentOfTheTime) {
  for (const double call_s : {2e-6, 24e-6, 500e-6}) {
    const int calls = 100'000, count = measured(24, 24e-6, call_s, 20e-6, calls);
    EXPECT_LE(count * 20e-6, 1.02 * Sampling::share * calls * call_s) << call_s;
    EXPECT_GE(count * 20e-6, 0.8 * Sampling::share * calls * call_s) << call_s;
  }
}

TEST(Sampling, BeginsAtTheFirstLongCall) {
  EXPECT_EQ(measured(24, 0.01, 0.02, 20e-6, 1), 1);
  EXPECT_EQ(measured(24, 0.01, 0.02, 20e-6, 41), 11);  // then after four calls each
}

TEST(Sampling, BeginsAtThe128thShortCall) {
  EXPECT_EQ(measured(24, 1e-6, 1, 20e-6, 127), 0);
  EXPECT_EQ(measured(24, 1e-6, 1, 20e-6, 128), 1);
}

TEST(Sampling, HasALongestInterval) {
  EXPECT_EQ(Sampling(2).interval(0, 1), Sampling::most_interval);
  EXPECT_EQ(Sampling(2).interval(1e-6, 1e9), Sampling::most_interval);
}

TEST(Meetings, AreInTheFourthCallAfterOneThatIsExpectedToPay) {
  Meetings meetings(4);
  for (int call = 1; call <= 5; ++call) EXPECT_FALSE(meetings.counts(0));
  meetings.expect();
  for (int call = 6; call <= 8; ++call) EXPECT_FALSE(meetings.counts(0)) << call;
  EXPECT_TRUE(meetings.counts(0)) << "the ninth";
  for (int call = 10; call < 64; ++call) EXPECT_FALSE(meetings.counts(0)) << call;
  EXPECT_TRUE(meetings.counts(0)) << "the 64th, as ever";
}

TEST(Meetings, ThatAreExpectedTwiceAreNotPutOff) {
  Meetings meetings(4);
  meetings.expect();
  EXPECT_FALSE(meetings.counts(0));
  meetings.expect();
  EXPECT_FALSE(meetings.counts(0));
  EXPECT_FALSE(meetings.counts(0));
  EXPECT_TRUE(meetings.counts(0));
}

}  // namespace
}  // namespace quadrille::mpi_face

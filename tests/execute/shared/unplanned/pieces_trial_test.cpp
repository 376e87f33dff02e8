// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/sender.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

constexpr Bytes mib = 1 << 20;

struct Seconds {  // for 1 MiB
  double once, pieces;
};

// Runs so many exchanges, which take these times. Returns how many of them went in pieces.
int run(PiecesTrial& trial, int exchanges, Seconds seconds, Bytes bytes = mib, double expected = 1) {
  int count = 0;
  for (int i = 0; i < exchanges; ++i) {
    const bool in_pieces = trial.begin(bytes, expected);
    count += in_pieces ? 1 : 0;
    if (trial.is_timed())
      trial.end((in_pieces ? seconds.pieces : seconds.once) * static_cast<double>(bytes) / static_cast<double>(mib));
  }
  return count;
}

TEST(PiecesTrial, TriesBothWaysByTurnsAndKeepsTheFasterOne) {
  for (const double expected : {0.5, 2.0}) {
    PiecesTrial trial;
    EXPECT_EQ(trial.begin(mib, expected), expected < 1);  // first the one that is expected to be faster
    EXPECT_EQ(run(trial, 10, {.once = 1, .pieces = 0.8}, mib, expected), 5);
    EXPECT_EQ(run(trial, 30, {.once = 1, .pieces = 0.8}, mib, expected), 30);
    PiecesTrial other;
    EXPECT_EQ(run(other, 10, {.once = 1, .pieces = 0.95}, mib, expected), 5);  // a gain that is not worthwhile
    EXPECT_EQ(run(other, 30, {.once = 1, .pieces = 0.95}, mib, expected), 0);
  }
}

TEST(PiecesTrial, IsNotTurnedByFewBadSamples) {
  for (int bad = 0; bad < 9; ++bad)
    for (const double factor : {0.01, 100.0})
      for (const Seconds seconds : {Seconds{1, 0.5}, Seconds{0.5, 1}}) {
        PiecesTrial trial;
        run(trial, bad, seconds);
        run(trial, 2, {seconds.once * factor, seconds.pieces / factor});  // one bad sample of each way
        run(trial, 8 - bad, seconds);
        EXPECT_EQ(run(trial, 30, seconds), seconds.pieces < seconds.once ? 30 : 0) << bad << ' ' << factor;
      }
}

TEST(PiecesTrial, FollowsWhatExchangesTakeLater) {
  PiecesTrial trial;
  run(trial, 10, {.once = 1, .pieces = 0.5});
  EXPECT_EQ(run(trial, 150, {.once = 0.5, .pieces = 1}), 150 - 2);  // both ways are timed now and then
  run(trial, 50, {.once = 0.5, .pieces = 1});
  EXPECT_EQ(run(trial, 100, {.once = 0.5, .pieces = 1}), 1);
  run(trial, 200, {.once = 1, .pieces = 0.5});
  EXPECT_GE(run(trial, 100, {.once = 1, .pieces = 0.5}), 98);
}

TEST(PiecesTrial, ComparesExchangesOfAboutTheSameSize) {
  PiecesTrial trial;
  run(trial, 10, {.once = 1, .pieces = 0.5}, mib);
  run(trial, 10, {.once = 0.5, .pieces = 1}, 2 * mib);
  EXPECT_EQ(run(trial, 10, {}, mib), 10);
  EXPECT_EQ(run(trial, 10, {}, 2 * mib - 1), 10);
  EXPECT_EQ(run(trial, 10, {}, 2 * mib), 0);
  EXPECT_EQ(run(trial, 10, {}, 4 * mib - 1), 0);
}

TEST(PiecesTrial, DoesNotTryPiecesThatWouldTakeManyTimesAsLong) {
  PiecesTrial trial;
  EXPECT_EQ(run(trial, 100, {.once = 1, .pieces = 0.1}, mib, 5), 0);
}

// An exchange that fails tells no time.
TEST(PiecesTrial, RepeatsATrialThatWasNotTimed) {
  PiecesTrial trial;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(trial.begin(mib, 0.5));
  trial.abandon();
  EXPECT_FALSE(trial.is_timed());
  EXPECT_EQ(run(trial, 10, {.once = 1, .pieces = 0.5}, mib, 0.5), 5);
}

}  // namespace
}  // namespace quadrille

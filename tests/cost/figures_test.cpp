// SPDX-License-Identifier: BSD-3-Clause
// Compares figures with counts by hand.
#include "quadrille/cost.hpp"

#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

TEST(Figures, OfSimpleAlgorithms) {
  const auto count = [](Count p, const char* specification) {
    return figures(make_schedule(Problem::alltoall(p, 3), specification));
  };
  EXPECT_EQ(count(5, "direct"), (Figures{1, 3, 4, 4, 12, 12, 0, 0}));
  EXPECT_EQ(count(5, "shift"), (Figures{4, 12, 1, 4, 12, 12, 0, 0}));
  EXPECT_EQ(count(8, "xor"), (Figures{7, 21, 1, 7, 21, 21, 0, 0}));
  EXPECT_EQ(count(5, "one-factor"), (Figures{5, 15, 1, 4, 12, 12, 0, 0}));
  EXPECT_EQ(count(6, "one-factor"), (Figures{5, 15, 1, 5, 15, 15, 0, 0}));
  EXPECT_EQ(count(6, "one-factor:factor=basic"), (Figures{6, 18, 1, 5, 15, 15, 0, 0}));
  EXPECT_EQ(count(8, "ring"), (Figures{7, 28 * 3, 1, 7, 28 * 3, 28 * 3, 36, 0}));
  EXPECT_EQ(count(64, "ring").c2, 2016 * 3);
  EXPECT_EQ(count(8, "bruck"), (Figures{3, 36, 1, 3, 36, 36, 0, 0}));
  EXPECT_EQ(count(8, "bruck:form=classical").scratch, 24);
  EXPECT_EQ(count(1, "direct"), Figures{});
  EXPECT_EQ(figures(make_schedule(Problem::alltoall(7, 0), "bruck")), Figures{});
}

TEST(Figures, ControlBytesAreTheSumOverAllRanks) {
  Schedule schedule = make_schedule(Problem::alltoall(4, 1), "direct");
  schedule.program = [inner = schedule.program](Rank rank) {
    Program program = inner(rank);
    program.rounds[0].control_sends.push_back({(rank + 1) % 4, 10});
    program.rounds[0].control_receives.push_back({(rank + 3) % 4, 10});
    return program;
  };
  EXPECT_EQ(figures(schedule).control_bytes, 40);
  EXPECT_EQ(figures(schedule, true).control_bytes, 40);
}

}  // namespace
}  // namespace quadrille

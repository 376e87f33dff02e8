// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/call_times.hpp"

#include <gtest/gtest.h>

namespace quadrille::mpi_face {
namespace {

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

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/sampling.hpp"

#include <gtest/gtest.h>

namespace quadrille::mpi_face {
namespace {

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

}  // namespace
}  // namespace quadrille::mpi_face

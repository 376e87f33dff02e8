// SPDX-License-Identifier: BSD-3-Clause
// The LogGP model: its formulas for messages in step, from one rank, and in both directions.
#include <gtest/gtest.h>

#include "support/priced.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// A message of m bytes takes o + (m - 1) G + L + o; n messages from one rank take (n - 1) max(g, o) more.
TEST(LogGpModel, IsItsFormulas) {
  const Coefficients costs{{"latency_us", 1000}, {"overhead_us", 30}, {"gap_us", 50}, {"gap_us_per_byte", 0.5}, {"ports", 1}};
  for (const Count p : {2, 5, 8}) {
    const auto n = static_cast<double>(p);
    EXPECT_NEAR(priced(Problem::alltoall(p, 11), "shift", "loggp", costs), (n - 1) * (1060 + 10 * 0.5), 1e-6);
    EXPECT_NEAR(priced(problem_of(Collective::scatter, p, 11), "linear", "loggp", costs), 1060 + (n - 2) * 50 + (n - 1) * 10 * 0.5,
                1e-6);
    EXPECT_NEAR(priced(Problem::alltoall(p, 11), "direct", "loggp", costs), 1060 + (n - 2) * 60 + (n - 1) * 10 * 0.5, 1e-6)
        << "a rank that sends and receives has two overheads a message";
  }
  EXPECT_NEAR(priced(problem_of(Collective::broadcast, 8, 1), "binomial", "loggp", costs), 3 * 1060, 1e-6);
}

}  // namespace
}  // namespace quadrille

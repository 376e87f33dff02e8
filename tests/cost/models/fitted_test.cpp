// SPDX-License-Identifier: BSD-3-Clause
// The fitted model: the linear one with factors and a fixed time.
#include <gtest/gtest.h>

#include "quadrille/cost.hpp"
#include "support/priced.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// With factors of 1 and no fixed time, it is the linear model. The fixed time is paid once, whatever the number of
// stages.
TEST(FittedModel, IsTheLinearOneWithFactors) {
  const Coefficients linear{{"startup_us", 29}, {"transfer_us_per_byte", 0.12}, {"ports", 1}},
      same{{"startup_us", 29}, {"transfer_us_per_byte", 0.12}, {"startup_factor", 1}, {"byte_factor", 1}, {"fixed_us", 0}},
      fitted{{"startup_us", 29}, {"transfer_us_per_byte", 0.12}, {"startup_factor", 1.5}, {"byte_factor", 2}, {"fixed_us", 100}};
  for (const char* specification : {"bruck:radix=2", "bruck:radix=8", "bruck:radix=64", "mesh:rows=8"}) {
    SCOPED_TRACE(specification);
    const Figures counted = figures(make_schedule(Problem::alltoall(64, 32), specification));
    EXPECT_NEAR(priced(Problem::alltoall(64, 32), specification, "fitted", same),
                priced(Problem::alltoall(64, 32), specification, "linear", linear), 1e-6);
    EXPECT_NEAR(priced(Problem::alltoall(64, 32), specification, "fitted", fitted),
                1.5 * 29 * static_cast<double>(counted.c1) + 2 * 0.12 * static_cast<double>(counted.c2) + 100, 1e-6);
  }
}

}  // namespace
}  // namespace quadrille

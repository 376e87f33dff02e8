// SPDX-License-Identifier: BSD-3-Clause
// The price of an algorithm's schedule by one model.
#pragma once

#include <gtest/gtest.h>

#include "quadrille/model.hpp"
#include "support/cases.hpp"

namespace quadrille::testing {

// Returns the price under the policy `blocking`, in the units of the coefficients: microseconds.
inline double priced(const Problem& problem, const std::string& specification, const char* model, const Coefficients& coefficients,
                     const Topology* topology = nullptr) {
  const Model& formula = *find_model(model);
  const Workload work = workload(make_schedule(problem, specification), {.topology = topology, .nodes = formula.needs_nodes});
  EXPECT_TRUE(applies(formula, work)) << specification;
  return price_of(work, formula, coefficients).blocking_s * 1e6;
}

}  // namespace quadrille::testing

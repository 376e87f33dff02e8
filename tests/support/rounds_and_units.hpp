// SPDX-License-Identifier: BSD-3-Clause
// What the literature's formulas give for algorithms on one port: the number of rounds, and the volume in units (of a block, say).
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::testing {

inline constexpr Bytes unit = 3;

using Figure = std::pair<Count, Count>;  // rounds; volume in units

inline Figure rounds_and_units(const Problem& problem, const std::string& specification) {
  const Figures counted = figures(make_schedule(problem, specification));
  EXPECT_LE(counted.ports, 1);
  EXPECT_EQ(counted.c2 % unit, 0);
  return {counted.c1, counted.c2 / unit};
}

// The rounds in which a binomial tree reaches p ranks.
inline Count depth(Count p) { return static_cast<Count>(std::bit_width(static_cast<std::uint64_t>(p - 1))); }
inline bool is_power(Count p) { return std::has_single_bit(static_cast<std::uint64_t>(p)); }

}  // namespace quadrille::testing

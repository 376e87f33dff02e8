// SPDX-License-Identifier: BSD-3-Clause
// Functions for reports on the table of algorithms, which the public header does not have.
#pragma once

#include <string>

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Baselines: algorithms that are in the table only for comparison, such as a brute-force form of another algorithm. They are
// marked by BASELINE in the table.
bool is_baseline(const Algorithm& algorithm);

// Returns the specification of a schedule's algorithm, without parameters that have their defaults. If a schedule from a file
// states an algorithm, a parameter or a value that the table does not have, all stated parameters are kept.
std::string short_specification(const Schedule& schedule);

}  // namespace quadrille

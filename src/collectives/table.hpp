// SPDX-License-Identifier: BSD-3-Clause
// What reports ask the table of algorithms, beyond the public header.
#pragma once

#include <string>

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Baselines: algorithms that the table has only to compare others with them, such as the brute-force form of another one. They are
// marked by BASELINE in the table.
bool is_baseline(const Algorithm& algorithm);

// Returns the specification of a schedule's algorithm, without parameters that have their defaults. If a schedule from a file
// states an algorithm, a parameter or a value that the table does not have, all stated parameters are kept.
std::string short_specification(const Schedule& schedule);

}  // namespace quadrille

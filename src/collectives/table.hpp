// SPDX-License-Identifier: BSD-3-Clause
// What reports ask the table of algorithms, beyond the public header.
#pragma once

#include <string>

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Baselines: algorithms that the table has only to compare others with them, such as the brute-force form of another one. They are
// marked by BASELINE in the table.
bool is_baseline(const Algorithm& algorithm);

// The algorithm of a schedule with those parameters that differ from their defaults. A schedule from a file may name another
// algorithm than those of the table, or other parameters or values; then it has all parameters that the file states.
std::string short_specification(const Schedule& schedule);

}  // namespace quadrille

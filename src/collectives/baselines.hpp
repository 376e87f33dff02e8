// SPDX-License-Identifier: BSD-3-Clause
// Baselines: algorithms that the table has only to compare others with them, such as the brute-force form of another one. They are
// marked by BASELINE in the table.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

bool is_baseline(const Algorithm& algorithm);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Tells which ways are not priced because pricing would take too long, and which ways run baselines.
#pragma once

#include "quadrille/algorithm.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// To price a schedule without symmetry, the programs of all ranks must be made. So the number of ranks is limited. An explanation
// (`explains`) may take seconds, the making of a plan may not.
bool takes_too_long(const Problem& problem, const Choice& choice, bool explains);

// Does the way run an algorithm that serves only for comparisons with others?
bool runs_baseline(const Way& way);

}  // namespace quadrille

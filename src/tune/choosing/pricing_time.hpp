// SPDX-License-Identifier: BSD-3-Clause
// How long it takes to price a schedule.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Pricing a schedule without symmetry makes the programs of all ranks, so it is limited. An explanation (`explains`) may take
// seconds, the making of a plan may not.
bool takes_too_long(const Problem& problem, const Choice& choice, bool explains);

}  // namespace quadrille

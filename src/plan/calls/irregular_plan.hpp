// SPDX-License-Identifier: BSD-3-Clause
// Compares the calls with counts of all ranks. The source also has plan_irregular (quadrille/irregular_call.hpp), which makes a
// plan from the counts and displacements that each rank passes.
#pragma once

#include "quadrille/irregular_call.hpp"

namespace quadrille {

// Collective. Checks the arguments of all ranks, and compares the counts that two ranks must agree upon. Throws on all ranks or on
// none.
void compare_counts(Communicator& ranks, const IrregularCall& call);

}  // namespace quadrille

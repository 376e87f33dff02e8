// SPDX-License-Identifier: BSD-3-Clause
// What the bounds of ranks and those of nodes share.
#pragma once

#include "quadrille/problem.hpp"

namespace quadrille {

__extension__ typedef __int128 WideCount;

// Returns the fewest rounds in which the data of one party can reach `parties` (ranks, or nodes) on k ports. Each round multiplies
// the number of parties that have the data by at most k + 1.
Count rounds_to_reach(Count parties, Count k);

// Returns the quotient, rounded up.
Bytes quotient(WideCount dividend, WideCount divisor);

bool has_nothing_to_move(const Problem& problem);

}  // namespace quadrille

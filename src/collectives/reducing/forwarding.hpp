// SPDX-License-Identifier: BSD-3-Clause
// Reductions to a fixed rank, which forwards the result to the root.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns `combine`, the program of a reduction to rank `holder`, followed by a message from `holder` to the problem's root.
Program forwarded_to_root(const Problem& problem, Program combine, Rank holder);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Ways that are tied with the chosen one: predictions are not exact enough to tell which is faster.
#pragma once

#include <vector>

#include "quadrille/decision.hpp"

namespace quadrille {

// Returns the other ways with a predicted time that is tied with that of the chosen one, the fastest first. None if the chosen way
// was measured. Baselines are left out.
std::vector<const Considered*> tied_with_chosen(const Problem& problem, const Decision& decision);

// Returns true if the way runs a baseline of the table.
bool runs_baseline(const Problem& problem, const Way& way);

}  // namespace quadrille

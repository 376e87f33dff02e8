// SPDX-License-Identifier: BSD-3-Clause
// Prices families of schedules for a comparison with the way that a plan chooses.
#pragma once

#include <vector>

#include "quadrille/explain.hpp"

namespace quadrille {

// Throws what the families throw, except Error{too_large}, which becomes the reason.
std::vector<ExplainedFamily> explained_families(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge,
                                                const std::vector<Family>& families);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// What MPI libraries take by their built-in rules, for an explanation.
#pragma once

#include <vector>

#include "quadrille/explain.hpp"

namespace quadrille {

std::vector<ExplainedVendor> explained_vendors(const Problem& problem, const MachineKnowledge& knowledge);

}  // namespace quadrille

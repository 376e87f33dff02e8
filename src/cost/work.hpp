// SPDX-License-Identifier: BSD-3-Clause
// The work of ranks and nodes in each round: messages and bytes that leave a node or stay inside, bytes copied and combined.
#pragma once

#include <map>

#include "quadrille/model.hpp"

namespace quadrille {

// Adds it to the figures by round. Programs of ranks that a stated symmetry makes images are not generated. Returns
// Workload::nodes_sampled.
Count count_work(const Schedule& schedule, std::map<Count, RoundFigures>& rounds);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Everything that the ranks of one node have for those of another in one message [sanders2002]: gathered inside the node by a
// leader of that pair of nodes, exchanged with the other node's leader, and scattered there.
//
// In a message the blocks stand by the other node's turn, then source, then target; a message of several nodes' blocks has them
// in the order of their turns.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Parameter leaders_parameter();

// For the fields of Algorithm, alltoall and alltoallv. Where there is a parameter `counts`, it says how ranks know the sizes of
// what they pass on: told ahead of each message, or known.
std::shared_ptr<const Analysis> analyse_combined(const Problem& problem, const Parameters& parameters);
Program combined_exchange(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);
Count combined_ports(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille

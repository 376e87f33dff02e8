// SPDX-License-Identifier: BSD-3-Clause
// The combined exchange [sanders2002]: one message carries all data that the ranks of one node have for the ranks of
// another node. A leader of this pair of nodes gathers the data inside its node, exchanges it with the leader of the
// other node, and scatters the data that it receives.
//
// In a message, blocks are ordered by the other node's turn, then by source, then by target.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Parameter leaders_parameter();

// Functions for the fields of Algorithm, for alltoall and alltoallv. The parameter `counts`, if the algorithm has one,
// says how leaders know the sizes of the data that they forward: from headers, or beforehand.
std::shared_ptr<const Analysis> analyse_combined(const Problem& problem, const Parameters& parameters);
Program combined_exchange(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);
Count combined_ports(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille

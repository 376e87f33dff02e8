// SPDX-License-Identifier: BSD-3-Clause
// Sends everything that the ranks of one node have for those of another node in one message [sanders2002]. A leader of
// this pair of nodes gathers the data inside its node, exchanges it with the other node's leader, and scatters what it
// receives.
//
// In a message, blocks are ordered by the other node's turn, then by source, then by target.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Parameter leaders_parameter();

// Functions for the fields of Algorithm, for alltoall and alltoallv. If the algorithm has a parameter `counts`, it says
// how leaders know the sizes of the data that they forward: from headers, or known beforehand.
std::shared_ptr<const Analysis> analyse_combined(const Problem& problem, const Parameters& parameters);
Program combined_exchange(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);
Count combined_ports(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille

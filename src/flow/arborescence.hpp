// SPDX-License-Identifier: BSD-3-Clause
// The cheapest tree from a root to all ranks.
#pragma once

#include <vector>

#include "flow/parts.hpp"

namespace quadrille {

// Returns the hops of a spanning tree whose costs have the least sum, parents first, by Edmonds' algorithm. Among equals the hops
// with lower numbers are taken. `costs` are by hop. There must be a way to each rank.
std::vector<PartStep> cheapest_tree(const RankNetwork& network, Rank root, const std::vector<double>& costs);

}  // namespace quadrille

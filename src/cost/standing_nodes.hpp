// SPDX-License-Identifier: BSD-3-Clause
// Finds nodes that represent others under a symmetry of the ranks.
#pragma once

#include <vector>

#include "problem/node_ranks.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// A node can represent another node if a group element maps its ranks to the ranks of the other node, and the ranks of every node
// to the ranks of some node. The ranks of both nodes then do the same work with corresponding nodes. Returns one node of each
// class, or nothing if there are more than a few classes.
std::vector<Count> standing_nodes(const Symmetry& symmetry, const NodeRanks& nodes);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Nodes that stand for others: what a symmetry of ranks says about nodes.
#pragma once

#include <vector>

#include "problem/node_ranks.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// A node stands for another one if an element of the group takes all its ranks to the ranks of the other, and every node to a node:
// then their ranks do the same with the same nodes. Returns one node of each class, or nothing where there are more than a few.
std::vector<Count> standing_nodes(const Symmetry& symmetry, const NodeRanks& nodes);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Which nodes the ranks of a problem are on.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// Returns the problem. If it names no nodes, it gets the communicator's.
inline Problem placed(const Communicator& communicator, Problem problem) {
  if (problem.nodes.empty() && problem.ranks == communicator.size()) problem.nodes = communicator.nodes();
  return problem;
}

// Returns the number of ranks on each node.
inline std::vector<Count> ranks_of_nodes(const Communicator& communicator) {
  std::vector<Count> sizes;
  for (const Count node : communicator.nodes()) {
    sizes.resize(std::max(sizes.size(), index(node + 1)));
    ++sizes[index(node)];
  }
  return sizes;
}

}  // namespace quadrille

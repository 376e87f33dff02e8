// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a problem are.
#pragma once

#include <utility>

#include "quadrille/execute.hpp"

namespace quadrille {

// Collective: the problem, and where it names no nodes, on those of the communicator.
inline Problem placed(Communicator& communicator, Problem problem) {
  const std::vector<Count>& nodes = communicator.nodes();  // asked by all, also by ranks that have an error to report
  if (problem.nodes.empty() && problem.ranks == communicator.size()) problem.nodes = nodes;
  return problem;
}

}  // namespace quadrille

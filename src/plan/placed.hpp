// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a problem are.
#pragma once

#include <utility>

#include "quadrille/execute.hpp"

namespace quadrille {

// The problem, and where it names no nodes, on those of the communicator.
inline Problem placed(const Communicator& communicator, Problem problem) {
  if (problem.nodes.empty() && problem.ranks == communicator.size()) problem.nodes = communicator.nodes();
  return problem;
}

}  // namespace quadrille

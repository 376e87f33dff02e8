// SPDX-License-Identifier: BSD-3-Clause
// Which cores the ranks of a node may use together. A launcher may bind each rank to a few cores.
#pragma once

#include <sched.h>

#include <vector>

#include "quadrille/execute.hpp"

namespace quadrille {

// Returns the cores of this rank.
cpu_set_t own_cores();

// Collective. Returns for each node the cores that at least one of its ranks may use.
std::vector<cpu_set_t> cores_of_nodes(Communicator& communicator);

}  // namespace quadrille

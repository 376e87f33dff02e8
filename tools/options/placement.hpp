// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a run are placed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::command {

// Returns the node of each of `ranks` ranks. `node_sizes`: ranks of each node (the option --node-sizes). `placement`: block (each
// node is filled before the next; the default), cyclic (one rank a node in turn, as long as there is room), or a file with the node
// of each rank, which needs no sizes. Nothing is returned if neither is given. `recorded`: ranks before they were scaled. Throws
// Error{misuse}, Error{malformed}.
std::optional<std::vector<Count>> placed_ranks(const std::optional<std::string>& node_sizes,
                                               const std::optional<std::string>& placement, Count ranks, Count recorded);

}  // namespace quadrille::command

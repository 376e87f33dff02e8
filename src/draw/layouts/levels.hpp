// SPDX-License-Identifier: BSD-3-Clause
// The levels of a network: how far its switches are from ranks.
#pragma once

#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

// Returns, for each vertex, the number of links between it and the nearest rank.
ByRank<std::size_t> levels_of(const Topology& topology);

// Returns the vertices of each level, in the order of their numbers.
std::vector<std::vector<Vertex>> vertices_by_level(const ByRank<std::size_t>& levels);

}  // namespace quadrille

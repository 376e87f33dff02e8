// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a picture's ranks: neighbouring ranks of one node stand on a band with the node's number.
#pragma once

#include <string>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

// Ranks first .. last are on one node, and the ranks beside them are not.
struct NodeBand {
  Count node = 0;  // the problem's number
  Rank first = 0, last = 0;

  Count ranks() const { return last - first + 1; }
};

// Returns the bands in the order of their ranks. There are none if the problem names no nodes. A node has several bands if its
// ranks are not consecutive.
std::vector<NodeBand> node_bands(const Problem& problem);

constexpr double between_bands = 3;  // what parts two bands

}  // namespace quadrille

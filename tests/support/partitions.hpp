// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::testing {

// Returns all placements of ranks on nodes, each once: all partitions of the set of ranks. Nodes are numbered in the order of their
// first ranks. There are 1, 2, 5, 15, 52, 203, 877, 4140, .. of them.
inline std::vector<std::vector<Count>> all_partitions(Count ranks) {
  std::vector<std::vector<Count>> list{{}};
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<std::vector<Count>> longer;
    for (const std::vector<Count>& nodes : list) {
      const Count used = nodes.empty() ? 0 : *std::max_element(nodes.begin(), nodes.end()) + 1;
      for (Count node = 0; node <= used; ++node) {
        longer.push_back(nodes);
        longer.back().push_back(node);
      }
    }
    list = std::move(longer);
  }
  return list;
}

}  // namespace quadrille::testing

// SPDX-License-Identifier: BSD-3-Clause
#include "draw/layouts/levels.hpp"

#include <algorithm>
#include <utility>

namespace quadrille {

ByRank<std::size_t> levels_of(const Topology& topology) {
  ByRank<std::size_t> levels(topology.vertices());
  std::vector<Vertex> reached;
  ByRank<char> known(topology.vertices());
  for (Rank rank = 0; rank < topology.ranks(); ++rank) {
    reached.push_back(rank);
    known[rank] = 1;
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Vertex next : topology.neighbours(reached[i]))
      if (!std::exchange(known[next], 1)) {
        levels[next] = levels[reached[i]] + 1;
        reached.push_back(next);
      }
  return levels;
}

std::vector<std::vector<Vertex>> vertices_by_level(const ByRank<std::size_t>& levels) {
  std::vector<std::vector<Vertex>> lists(*std::max_element(levels.begin(), levels.end()) + 1);
  for (Vertex vertex = 0; vertex < static_cast<Vertex>(levels.size()); ++vertex) lists[levels[vertex]].push_back(vertex);
  return lists;
}

}  // namespace quadrille

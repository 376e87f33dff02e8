// SPDX-License-Identifier: BSD-3-Clause
#include "draw/node_bands.hpp"

#include "quadrille/indexed.hpp"

namespace quadrille {

std::vector<NodeBand> node_bands(const Problem& problem) {
  std::vector<NodeBand> bands;
  for (Rank rank = 0; rank < size(problem.nodes); ++rank) {
    const Count node = problem.nodes[index(rank)];
    if (bands.empty() || bands.back().node != node) bands.push_back({node, rank, rank});
    bands.back().last = rank;
  }
  return bands;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/topology.hpp"

#include <algorithm>

namespace quadrille {

std::vector<Vertex> Topology::neighbours(Vertex vertex) const {
  std::vector<Vertex> vertices;
  for (const Link& link : links_from(vertex)) vertices.push_back(link.to);
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace quadrille

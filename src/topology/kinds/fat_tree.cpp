// SPDX-License-Identifier: BSD-3-Clause
// Fat trees: three levels of switches with the same number of ports.
// Source: [al-fares2008].
#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "topology/graph.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille {

Topology Topology::fat_tree(Count switch_ports) {
  const std::string name = fmt::format("fat-tree:{}", switch_ports);
  if (switch_ports < 1 || switch_ports % 2 != 0)
    throw Error(ErrorCode::misuse, fmt::format("the switches of a fat tree have an even number of ports, not {}", switch_ports));
  const Count half = switch_ports / 2;
  check_graph_numbers(name, {switch_ports, half, half});
  const Count edge_switches = switch_ports * half, ranks = edge_switches * half;
  const Vertex first_edge = ranks, first_middle = first_edge + edge_switches, first_core = first_middle + edge_switches;
  std::vector<Graph::Edge> edges;
  for (Rank rank = 0; rank < ranks; ++rank) edges.push_back({rank, first_edge + rank / half});
  for (Count lower = 0; lower < edge_switches; ++lower)
    for (Count up = 0; up < half; ++up) {
      edges.push_back({first_edge + lower, first_middle + lower / half * half + up});
      edges.push_back({first_middle + lower, first_core + lower % half * half + up});
    }
  return {name, std::make_shared<Graph>(name, ranks, first_core + half * half, edges)};
}

extern const TopologyKind fat_tree_topology{
    .name = "fat-tree",
    .example = "4",
    .description = "three levels of switches with k = 4 ports each: k pods, k^2/4 switches at the top, k^3/4 ranks",
    .numbers = 1,
    .make = [](const std::vector<Count>& numbers, Routing) { return Topology::fat_tree(numbers[0]); }};

}  // namespace quadrille

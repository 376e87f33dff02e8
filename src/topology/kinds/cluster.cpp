// SPDX-License-Identifier: BSD-3-Clause
// Clusters of nodes. The ranks of a node share one link to a switch.
#include <fmt/format.h>

#include "topology/graph.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille {

Topology Topology::cluster(Count nodes, Count ranks_per_node) {
  const std::string name = fmt::format("cluster:{}x{}", nodes, ranks_per_node);
  check_graph_numbers(name, {nodes, ranks_per_node});
  const Count ranks = nodes * ranks_per_node;
  const Vertex between = ranks + nodes;
  std::vector<Graph::Edge> edges;
  std::vector<std::string> names;
  std::vector<Count> node_of_each_rank;
  for (Rank rank = 0; rank < ranks; ++rank) {
    node_of_each_rank.push_back(rank / ranks_per_node);
    edges.push_back({rank, ranks + node_of_each_rank.back()});
  }
  for (Count node = 0; node < nodes; ++node) {
    edges.push_back({ranks + node, between});
    names.push_back(fmt::format("node {}", node));
  }
  names.emplace_back("the switch");
  return {name, std::make_shared<Graph>(name, ranks, between + 1, edges, names, node_of_each_rank)};
}

extern const TopologyKind cluster_topology{
    .name = "cluster",
    .example = "6x4",
    .description = "six nodes of four ranks; a node's ranks share one link to a switch between the nodes",
    .numbers = 2,
    .make = [](const std::vector<Count>& numbers, Routing) { return Topology::cluster(numbers[0], numbers[1]); }};

}  // namespace quadrille

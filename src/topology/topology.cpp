// SPDX-License-Identifier: BSD-3-Clause
// The kinds of networks by their names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "patterns/powers.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"
#include "topology/graph.hpp"
#include "topology/product.hpp"

namespace quadrille {
namespace {

std::vector<ProductDimension> dimensions_of(DimensionKind kind, const std::vector<Count>& sides) {
  std::vector<ProductDimension> dimensions;
  for (const Count side : sides) dimensions.push_back({kind, side});
  return dimensions;
}

Topology product(const std::string& name, DimensionKind kind, const std::vector<Count>& sides, Routing routing = {},
                 bool row_by_row = true) {
  const std::string full_name = name + (routing == Routing::last_dimension_first ? ",last" : "");
  return {full_name, std::make_shared<Product>(full_name, dimensions_of(kind, sides), routing, row_by_row)};
}

std::string joined(const std::vector<Count>& sides) { return fmt::format("{}", fmt::join(sides, "x")); }

constexpr Count most_edges = Count{1} << 22;  // of a graph

// Ranks of a graph, as factors.
void check_numbers(const std::string& name, const std::vector<Count>& numbers) {
  Count product = 1;
  for (const Count number : numbers) {
    if (number < 1)
      throw Error(ErrorCode::misuse, fmt::format("a number of the topology '{}' is {}; all are 1 or more", name, number));
    if (__builtin_mul_overflow(product, number, &product) || product > Count{1} << 20)
      throw Error(ErrorCode::too_large, fmt::format("the topology '{}' has more than 2^20 ranks", name));
  }
}

void check_edges(const std::string& name, Count edges) {
  if (edges > most_edges)
    throw Error(ErrorCode::too_large, fmt::format("the topology '{}' has {} edges; the limit is {}", name, edges, most_edges));
}

}  // namespace

Topology Topology::ring(Count ranks) { return product(fmt::format("ring:{}", ranks), DimensionKind::ring, {ranks}); }
Topology Topology::array(Count ranks) { return product(fmt::format("array:{}", ranks), DimensionKind::path, {ranks}); }
Topology Topology::full(Count ranks) { return product(fmt::format("full:{}", ranks), DimensionKind::complete, {ranks}); }

Topology Topology::torus(const std::vector<Count>& sides, Routing routing) {
  return product("torus:" + joined(sides), DimensionKind::ring, sides, routing);
}

Topology Topology::mesh(const std::vector<Count>& sides, Routing routing) {
  return product("mesh:" + joined(sides), DimensionKind::path, sides, routing);
}

Topology Topology::hypercube(Count ranks, Routing routing) {
  if (!is_power_of_two(ranks))
    throw Error(ErrorCode::misuse, fmt::format("a hypercube has a power of two of ranks, not {}", ranks));
  const std::size_t bits = index(ceil_log2(ranks));
  return product(fmt::format("hypercube:{}", ranks), DimensionKind::path,
                 bits == 0 ? std::vector<Count>{1} : std::vector<Count>(bits, 2), routing, /*row_by_row=*/false);
}

Topology Topology::cluster(Count nodes, Count ranks_per_node) {
  const std::string name = fmt::format("cluster:{}x{}", nodes, ranks_per_node);
  check_numbers(name, {nodes, ranks_per_node});
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

Topology Topology::fat_tree(Count switch_ports) {
  const std::string name = fmt::format("fat-tree:{}", switch_ports);
  if (switch_ports < 1 || switch_ports % 2 != 0)
    throw Error(ErrorCode::misuse, fmt::format("the switches of a fat tree have an even number of ports, not {}", switch_ports));
  const Count half = switch_ports / 2;
  check_numbers(name, {switch_ports, half, half});
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

Topology Topology::dragonfly(Count groups, Count routers, Count ranks_per_router) {
  const std::string name = fmt::format("dragonfly:{}x{}x{}", groups, routers, ranks_per_router);
  check_numbers(name, {groups, routers, ranks_per_router});
  const Count router_count = groups * routers, ranks = router_count * ranks_per_router;
  check_edges(name, ranks + router_count * (routers - 1) / 2 + groups * (groups - 1) / 2);
  std::vector<Graph::Edge> edges;
  for (Rank rank = 0; rank < ranks; ++rank) edges.push_back({rank, ranks + rank / ranks_per_router});
  for (Count router = 0; router < router_count; ++router)
    for (Count other = router + 1; other < (router / routers + 1) * routers; ++other)
      edges.push_back({ranks + router, ranks + other});
  // The links of a group lead to the others in their order from the next one on; its routers take them in turn.
  const auto router_towards = [&](Count group, Count other) {
    return ranks + group * routers + (other - group + groups - 1) % groups % routers;
  };
  for (Count group = 0; group < groups; ++group)
    for (Count other = group + 1; other < groups; ++other)
      edges.push_back({router_towards(group, other), router_towards(other, group)});
  return {name, std::make_shared<Graph>(name, ranks, ranks + router_count, edges)};
}

std::vector<Vertex> Topology::neighbours(Vertex vertex) const {
  std::vector<Vertex> vertices;
  for (const Link& link : links_from(vertex)) vertices.push_back(link.to);
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace quadrille

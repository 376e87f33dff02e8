// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies: groups of routers, each group joined with each other group.
// Source: [kim2008].
#include <fmt/format.h>

#include "topology/graph.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille {

Topology Topology::dragonfly(Count groups, Count routers, Count ranks_per_router) {
  const std::string name = fmt::format("dragonfly:{}x{}x{}", groups, routers, ranks_per_router);
  check_graph_numbers(name, {groups, routers, ranks_per_router});
  const Count router_count = groups * routers, ranks = router_count * ranks_per_router;
  check_graph_edges(name, ranks + router_count * (routers - 1) / 2 + groups * (groups - 1) / 2);
  std::vector<Graph::Edge> edges;
  for (Rank rank = 0; rank < ranks; ++rank) edges.push_back({rank, ranks + rank / ranks_per_router});
  for (Count router = 0; router < router_count; ++router)
    for (Count other = router + 1; other < (router / routers + 1) * routers; ++other)
      edges.push_back({ranks + router, ranks + other});
  // Each group has one link to every other group. The links from group g to the groups g + 1, g + 2, .. (modulo their number) are
  // assigned to the routers of group g round robin.
  const auto router_towards = [&](Count group, Count other) {
    return ranks + group * routers + (other - group + groups - 1) % groups % routers;
  };
  for (Count group = 0; group < groups; ++group)
    for (Count other = group + 1; other < groups; ++other)
      edges.push_back({router_towards(group, other), router_towards(other, group)});
  return {name, std::make_shared<Graph>(name, ranks, ranks + router_count, edges)};
}

extern const TopologyKind dragonfly_topology{
    .name = "dragonfly",
    .example = "9x4x2",
    .description =
        "nine groups of four routers with two ranks each; a group's routers are all joined, and every two groups by one link",
    .numbers = 3,
    .make = [](const std::vector<Count>& numbers, Routing) { return Topology::dragonfly(numbers[0], numbers[1], numbers[2]); }};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Hypercubes as cubes.
#include <algorithm>
#include <array>

#include "draw/layouts/kinds.hpp"
#include "patterns/integers.hpp"

namespace quadrille {
namespace {

// The step of each dimension. The first three make a cube; the others set cubes beside and below each other, aslant, so that no
// link runs over a vertex.
constexpr std::array<Point, 6> steps{{{100, 0}, {0, 100}, {44, -36}, {260, 60}, {60, 260}, {576, 156}}};
constexpr double enlarged = 1.6;  // with all six dimensions, where links come closer to vertices

bool is_hypercube(const Topology& topology) {
  if (!topology.grid().empty() || topology.vertices() != topology.ranks() || !is_power_of_two(topology.ranks())) return false;
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    for (const Link& link : topology.links_from(rank))
      if ((link.from ^ link.to) != Rank{1} << link.dimension) return false;
  return true;
}

}  // namespace

std::optional<NetworkLayout> cube_layout(const Topology& topology) {
  if (!is_hypercube(topology) || topology.ranks() > Count{1} << steps.size()) return std::nullopt;
  NetworkLayout layout;
  for (Rank rank = 0; rank < topology.ranks(); ++rank) {
    Point place;
    for (std::size_t d = 0; d < steps.size(); ++d)
      if ((rank >> d & 1) != 0) place = place + steps[d];
    layout.vertices.push_back({(topology.ranks() < Count{1} << steps.size() ? 1 : enlarged) * place, ""});
  }
  return layout;
}

}  // namespace quadrille

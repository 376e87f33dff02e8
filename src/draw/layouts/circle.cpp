// SPDX-License-Identifier: BSD-3-Clause
// Networks of any kind on concentric circles.
#include <algorithm>
#include <numbers>

#include "draw/layouts/kinds.hpp"
#include "draw/layouts/levels.hpp"

namespace quadrille {
namespace {

constexpr double room_for_rank = 34, room_for_switch = 64;  // on a circle

// Returns the radius of the outermost circle: each circle needs room for its vertices.
double outermost_radius(const std::vector<std::vector<Vertex>>& circles) {
  const auto count = static_cast<double>(circles.size());
  double radius = std::max(130.0, 90 * count);
  for (std::size_t i = 0; i < circles.size(); ++i)
    radius = std::max(radius, (i == 0 ? room_for_rank : room_for_switch) * static_cast<double>(circles[i].size()) /
                                  (2 * std::numbers::pi) * count / (count - static_cast<double>(i)));
  return radius;
}

}  // namespace

std::optional<NetworkLayout> circle_layout(const Topology& topology) {
  const auto circles = vertices_by_level(levels_of(topology));
  const double outermost = outermost_radius(circles);
  NetworkLayout layout;
  layout.vertices.resize(index(topology.vertices()));
  for (std::size_t i = 0; i < circles.size(); ++i) {
    const bool in_the_middle = i > 0 && i + 1 == circles.size() && circles[i].size() == 1;
    const double away = in_the_middle ? 0 : outermost * (1 - static_cast<double>(i) / static_cast<double>(circles.size()));
    for (std::size_t j = 0; j < circles[i].size(); ++j) {
      const double turn = 2 * std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(circles[i].size());
      layout.vertices[circles[i][j]].centre = {away * std::sin(turn), -away * std::cos(turn)};
    }
  }
  return layout;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies in groups.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "draw/layouts/kinds.hpp"
#include "draw/text_lines.hpp"
#include "foundation/text/parsing.hpp"

namespace quadrille {
namespace {

constexpr double room_for_router = 84, group_room_for_rank = 30, between_circles = 52, between_groups = 36, name_size = 11,
                 widest_arc = 0.9 * std::numbers::pi;

struct DragonflySize {
  Count groups = 0, routers = 0, ranks = 0;  // routers of a group, ranks of a router
};

// Reads "dragonfly:9x4x2". A network from a file has another name, or other numbers.
std::optional<DragonflySize> size_of(const Topology& topology) {
  constexpr std::string_view kind = "dragonfly:";
  if (!topology.name().starts_with(kind)) return std::nullopt;
  std::vector<Count> numbers;
  for (const std::string_view part : split(std::string_view(topology.name()).substr(kind.size()), 'x'))
    numbers.push_back(number_in<Count>(part).value_or(0));
  if (numbers.size() != 3) return std::nullopt;
  const DragonflySize size{numbers[0], numbers[1], numbers[2]};
  const Count routers = size.groups * size.routers;
  if (topology.ranks() != routers * size.ranks || topology.vertices() != topology.ranks() + routers) return std::nullopt;
  return size;
}

std::string name_of(Count group) { return fmt::format("group {}", group); }

// Returns the point at an angle, in radians clockwise from the top.
Point on_circle(double radius, double angle) { return {radius * std::sin(angle), -radius * std::cos(angle)}; }

// Returns the angle of one of `count` equal parts of an arc around 0.
double part_of_arc(double arc, Count i, Count count) {
  return arc * ((static_cast<double>(i) + 0.5) / static_cast<double>(count) - 0.5);
}

}  // namespace

std::optional<NetworkLayout> group_layout(const Topology& topology) {
  const auto dragonfly = size_of(topology);
  if (!dragonfly) return std::nullopt;
  const auto& [groups, routers, ranks] = *dragonfly;
  const auto of_a_group = static_cast<double>(routers), rank_count = static_cast<double>(routers * ranks);
  const double router_circle = std::max(40.0, room_for_router * of_a_group / widest_arc);
  const double rank_circle = std::max(router_circle + between_circles, group_room_for_rank * rank_count / widest_arc);
  const double width_of_name = text_width(name_of(groups - 1), name_size);
  const double reach = rank_circle + rank_radius + width_of_name + 8, turn = 2 * std::numbers::pi / static_cast<double>(groups);
  const double apart = reach + between_groups / 2;
  const double away = groups == 1 ? 0 : groups == 2 ? apart : apart / std::sin(turn / 2);
  NetworkLayout layout;
  layout.vertices.resize(index(topology.vertices()));
  for (Count group = 0; group < groups; ++group) {
    const double outwards = turn * (static_cast<double>(group) + 0.5);
    const Point centre = on_circle(away, outwards);
    for (Count router = 0; router < routers; ++router) {
      const Vertex vertex = group * routers + router;
      const double angle = outwards + part_of_arc(widest_arc, router, routers);
      layout.vertices[topology.ranks() + vertex].centre = centre + on_circle(router_circle, angle);
      for (Rank rank = 0; rank < ranks; ++rank)
        layout.vertices[vertex * ranks + rank].centre =
            centre + on_circle(rank_circle, angle + part_of_arc(widest_arc / of_a_group, rank, ranks));
    }
    // How far the box of the name reaches outwards from its middle.
    const double half_of_name = (std::abs(std::sin(outwards)) * width_of_name + std::abs(std::cos(outwards)) * name_size) / 2;
    layout.parts.push_back({.box = {centre.x - reach, centre.y - reach, 2 * reach, 2 * reach},
                            .name = name_of(group),
                            .name_at = centre + on_circle(rank_circle + rank_radius + 4 + half_of_name, outwards) + Point{0, 4},
                            .is_round = true});
  }
  return layout;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "draw/layouts/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "draw/layouts/kinds.hpp"
#include "draw/text_lines.hpp"

namespace quadrille {
namespace {

// Returns the name of a switch: the first part of the text of one of its links.
std::string switch_name(const Topology& topology, Vertex vertex) {
  const std::vector<Link> links = topology.links_from(vertex);
  if (links.empty()) return "";
  const std::string text = topology.text_of(links.front());
  return text.substr(0, text.find(" -> "));
}

void name_vertices(const Topology& topology, NetworkLayout& layout) {
  for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex)
    layout.vertices[vertex].name = vertex < topology.ranks() ? fmt::format("{}", vertex) : switch_name(topology, vertex);
}

// Moves everything so that it begins at 0, and sets the size.
void enclose(const Topology& topology, NetworkLayout& layout) {
  Point least{1e300, 1e300}, most{-1e300, -1e300};
  const auto add = [&](const Box& box) {
    least = {std::min(least.x, box.x), std::min(least.y, box.y)};
    most = {std::max(most.x, box.x + box.width), std::max(most.y, box.y + box.height)};
  };
  for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex) {
    const auto& [centre, name] = layout.vertices[vertex];
    const bool is_rank = vertex < topology.ranks();
    const double across = is_rank ? rank_radius : switch_width(name) / 2, up = is_rank ? rank_radius : switch_height / 2;
    add({centre.x - across, centre.y - up, 2 * across, 2 * up});
  }
  for (const auto& [number, direction] : layout.stubs) {
    const Link link = topology.link(number);
    for (const auto& [end, sign] : {std::pair(link.from, 1.0), std::pair(link.to, -1.0)}) {
      const Point tip = layout.vertices[end].centre + sign * (rank_radius + stub_length) * direction;
      add({tip.x, tip.y, 0, 0});
    }
  }
  for (const LayoutPart& part : layout.parts) add(part.box);
  for (LayoutVertex& vertex : layout.vertices) vertex.centre = vertex.centre - least;
  for (LayoutPart& part : layout.parts) {
    part.box.x -= least.x;
    part.box.y -= least.y;
    part.name_at = part.name_at - least;
  }
  layout.width = most.x - least.x;
  layout.height = most.y - least.y;
}

}  // namespace

double switch_width(const std::string& name) { return std::max(14.0, text_width(name, 10) + 8); }

NetworkLayout layout_of(const Topology& topology) {
  for (const auto& make : {grid_layout, cube_layout, layer_layout, group_layout, circle_layout})
    if (std::optional<NetworkLayout> layout = make(topology)) {
      name_vertices(topology, *layout);
      enclose(topology, *layout);
      return std::move(*layout);
    }
  return {};
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Meshes and tori in rows, columns and planes.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "draw/layouts/kinds.hpp"

namespace quadrille {
namespace {

constexpr double spacing = 76, border_of_plane = 48, room_for_name = 14, between_planes = 16;

// The directions in which dimensions go, by how fast they change with the rank. Planes stand beside each other in the third, and
// below each other in the fourth dimension, but their links leave between those within a plane, so that no two stubs cross.
constexpr std::array<Point, 4> directions{{{1, 0}, {0, 1}, {0.75, -0.66}, {0.75, 0.66}}};

struct GridDimension {
  int number = 0;  // of the topology
  Count side = 1, stride = 1;
  Point step;  // from one coordinate to the next
};

// Returns the dimensions with more than one coordinate; the first changes fastest with the rank.
std::vector<GridDimension> wide_dimensions(const std::vector<Count>& sides) {
  std::vector<GridDimension> wide;
  Count stride = 1;
  for (std::size_t d = sides.size(); d-- > 0; stride *= sides[d])
    if (sides[d] > 1) wide.push_back({static_cast<int>(d), sides[d], stride, {}});
  return wide;
}

double extent_of(const std::vector<GridDimension>& wide, std::size_t i) {
  return i < wide.size() ? spacing * static_cast<double>(wide[i].side - 1) : 0;
}

void set_steps(std::vector<GridDimension>& wide) {
  const double plane_width = extent_of(wide, 0) + 2 * border_of_plane,
               plane_height = extent_of(wide, 1) + 2 * border_of_plane + room_for_name;
  const std::array<Point, 4> steps{
      {{spacing, 0}, {0, spacing}, {plane_width + between_planes, 0}, {0, plane_height + between_planes}}};
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i].step = steps[i];
}

Point place_of(Rank rank, const std::vector<GridDimension>& wide, std::size_t first) {
  Point place;
  for (std::size_t i = first; i < wide.size(); ++i)
    place = place + static_cast<double>(rank / wide[i].stride % wide[i].side) * wide[i].step;
  return place;
}

void add_planes(Count ranks, const std::vector<GridDimension>& wide, NetworkLayout& layout) {
  const Count of_a_plane = wide[2].stride;
  for (Rank rank = 0; rank < ranks; rank += of_a_plane) {
    const Point corner = place_of(rank, wide, 2);
    std::string name = fmt::format("{}", rank / wide[2].stride % wide[2].side);
    if (wide.size() > 3) name = fmt::format("{},{}", rank / wide[3].stride, name);
    const Box box{corner.x - border_of_plane, corner.y - border_of_plane - room_for_name, extent_of(wide, 0) + 2 * border_of_plane,
                  extent_of(wide, 1) + 2 * border_of_plane + room_for_name};
    layout.parts.push_back({box, "plane " + name, {box.x + box.width / 2, box.y + room_for_name}});
  }
}

// Returns the direction in which a link leaves its plane, or the picture on one side to come back on the other. Returns nothing for
// links that are drawn from end to end.
std::optional<Point> stub_of(const Link& link, const std::vector<Link>& links, const std::vector<GridDimension>& wide) {
  const auto dimension =
      std::find_if(wide.begin(), wide.end(), [&](const GridDimension& each) { return each.number == link.dimension; });
  if (dimension == wide.end()) return std::nullopt;
  const auto i = index(dimension - wide.begin());
  std::vector<Count> mine;  // numbers of the vertex's links in this dimension: the one in direction + comes first
  for (const Link& other : links)
    if (other.dimension == link.dimension) mine.push_back(other.number);
  const bool up = mine.size() == 2 ? mine.front() == link.number : link.to > link.from;
  const bool around = up != (link.to > link.from);
  const bool is_parallel = wide[i].side == 2;  // both links to the other coordinate are drawn beside each other
  if (i < 2 && (!around || is_parallel)) return std::nullopt;
  return unit((up ? 1 : -1) * directions[i]);
}

}  // namespace

std::optional<NetworkLayout> grid_layout(const Topology& topology) {
  const std::vector<Count> sides = topology.grid();
  std::vector<GridDimension> wide = wide_dimensions(sides);
  const bool is_line = wide.size() < 2 && topology.links_from(0).size() <= 1;
  if (sides.empty() || (!is_line && (wide.size() < 2 || wide.size() > directions.size()))) return std::nullopt;
  set_steps(wide);
  NetworkLayout layout;
  for (Rank rank = 0; rank < topology.ranks(); ++rank) {
    layout.vertices.push_back({place_of(rank, wide, 0), ""});
    const std::vector<Link> links = topology.links_from(rank);
    for (const Link& link : links)
      if (const auto direction = stub_of(link, links, wide)) layout.stubs[link.number] = *direction;
  }
  if (wide.size() > 2) add_planes(topology.ranks(), wide, layout);
  return layout;
}

}  // namespace quadrille

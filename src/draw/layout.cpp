// SPDX-License-Identifier: BSD-3-Clause
// The kinds of layouts. Each function `..._layout` places the vertices of the networks that it knows, and returns nothing for other
// networks; `layout_of` adds the names of the vertices and moves everything to positive coordinates.
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/text/parsing.hpp"
#include "patterns/integers.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {
namespace {

constexpr double spacing = 76, border_of_plane = 48, room_for_name = 14, between_planes = 16;

// The directions in which dimensions go, by how fast they change with the rank. Planes stand beside each other in the third
// dimension, and below each other in the fourth. But stubs of links to other planes are drawn at angles between the links of a
// plane, so that no two stubs cross.
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

// Returns the direction in which a link leaves if it is drawn as stubs: a link to another plane, or a wrap-around link. Returns
// nothing for links that are drawn from end to end.
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

// Meshes and tori of two to four dimensions and arrays: the last dimension goes to the right and the one before it downwards. With
// a third and a fourth dimension there is a plane for each of their coordinates, and links between planes are stubs.
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

// The step of each dimension. The first three make a cube; the other dimensions place cubes beside and below each other, in
// slanted rows, so that no link runs over a vertex.
constexpr std::array<Point, 6> steps{{{100, 0}, {0, 100}, {44, -36}, {260, 60}, {60, 260}, {576, 156}}};
constexpr double enlarged = 1.6;  // with all six dimensions, where links come closer to vertices

bool is_hypercube(const Topology& topology) {
  if (!topology.grid().empty() || topology.vertices() != topology.ranks() || !is_power_of_two(topology.ranks())) return false;
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    for (const Link& link : topology.links_from(rank))
      if ((link.from ^ link.to) != Rank{1} << link.dimension) return false;
  return true;
}

// Hypercubes of up to six dimensions: cubes of three dimensions beside and below each other.
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

// Returns, for each vertex, the number of links between it and the nearest rank.
ByRank<std::size_t> levels_of(const Topology& topology) {
  ByRank<std::size_t> levels(topology.vertices());
  std::vector<Vertex> reached;
  ByRank<char> known(topology.vertices());
  for (Rank rank = 0; rank < topology.ranks(); ++rank) {
    reached.push_back(rank);
    known[rank] = 1;
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Vertex next : topology.neighbours(reached[i]))
      if (!std::exchange(known[next], 1)) {
        levels[next] = levels[reached[i]] + 1;
        reached.push_back(next);
      }
  return levels;
}

// Returns the vertices of each level, in the order of their numbers.
std::vector<std::vector<Vertex>> vertices_by_level(const ByRank<std::size_t>& levels) {
  std::vector<std::vector<Vertex>> lists(*std::max_element(levels.begin(), levels.end()) + 1);
  for (Vertex vertex = 0; vertex < static_cast<Vertex>(levels.size()); ++vertex) lists[levels[vertex]].push_back(vertex);
  return lists;
}

constexpr double layers_room_for_rank = 34, layers_room_for_switch = 72, least_height = 100, layers_widest = 1150;

// The least slopes of links to ranks and of links between switches, so that links run over no other vertex.
constexpr double slope_at_ranks = 0.6, slope_at_switches = 0.2;

bool has_only_links_between_levels(const Topology& topology, const ByRank<std::size_t>& levels) {
  for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex)
    for (const Vertex next : topology.neighbours(vertex))
      if (levels[next] != levels[vertex] + 1 && levels[next] + 1 != levels[vertex]) return false;
  return true;
}

// Returns the mean x of the vertices below this vertex that are linked to it.
double x_of_those_below(const Topology& topology, Vertex vertex, const ByRank<std::size_t>& levels, const NetworkLayout& layout) {
  double sum = 0, count = 0;
  for (const Vertex next : topology.neighbours(vertex))
    if (levels[next] < levels[vertex]) {
      sum += layout.vertices[next].centre.x;
      ++count;
    }
  return sum / count;
}

double width_of(const std::vector<std::vector<Vertex>>& layers) {
  double width = 0;
  for (const auto& layer : layers)
    width = std::max(
        width, static_cast<double>(layer.size()) * (&layer == &layers.front() ? layers_room_for_rank : layers_room_for_switch));
  return width;
}

// Returns the height of a layer, from the places of the vertices in their rows.
double height_of(const Topology& topology, const ByRank<std::size_t>& levels, const NetworkLayout& layout) {
  double height = least_height;
  for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex)
    for (const Vertex next : topology.neighbours(vertex)) {
      const double slope = levels[vertex] == 0 || levels[next] == 0 ? slope_at_ranks : slope_at_switches;
      height = std::max(height, slope * std::abs(layout.vertices[vertex].centre.x - layout.vertices[next].centre.x));
    }
  return height;
}

// Networks whose links all lead one level up or down, such as fat trees and clusters: ranks in the lowest row. Returns nothing if
// the row would be too long for a page.
std::optional<NetworkLayout> layer_layout(const Topology& topology) {
  const ByRank<std::size_t> levels = levels_of(topology);
  auto layers = vertices_by_level(levels);
  if (layers.size() < 2 || !has_only_links_between_levels(topology, levels)) return std::nullopt;
  const double width = width_of(layers);
  if (width > layers_widest) return std::nullopt;
  NetworkLayout layout;
  layout.vertices.resize(index(topology.vertices()));
  for (std::size_t level = 0; level < layers.size(); ++level) {
    std::vector<Vertex>& layer = layers[level];
    ByRank<double> below(topology.vertices());
    for (const Vertex vertex : layer) below[vertex] = level == 0 ? 0 : x_of_those_below(topology, vertex, levels, layout);
    std::stable_sort(layer.begin(), layer.end(), [&](Vertex a, Vertex b) { return below[a] < below[b]; });
    for (std::size_t i = 0; i < layer.size(); ++i)
      layout.vertices[layer[i]].centre.x = width * (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
  }
  const double height = height_of(topology, levels, layout);
  for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex)
    layout.vertices[vertex].centre.y = -height * static_cast<double>(levels[vertex]);
  return layout;
}

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

// Any network: ranks are on the outermost circle, and each inner circle has the switches that are linked to the circle around it.
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

// Dragonflies: each group has its routers on an arc and their ranks outside it. The groups stand in a circle.
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
    // How far the name's box reaches outwards from the middle of the box.
    const double half_of_name = (std::abs(std::sin(outwards)) * width_of_name + std::abs(std::cos(outwards)) * name_size) / 2;
    layout.parts.push_back({.box = {centre.x - reach, centre.y - reach, 2 * reach, 2 * reach},
                            .name = name_of(group),
                            .name_at = centre + on_circle(rank_circle + rank_radius + 4 + half_of_name, outwards) + Point{0, 4},
                            .is_round = true});
  }
  return layout;
}

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

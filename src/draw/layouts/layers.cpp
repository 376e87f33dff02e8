// SPDX-License-Identifier: BSD-3-Clause
// Trees and other networks of levels in layers.
#include <algorithm>
#include <cmath>

#include "draw/layouts/kinds.hpp"
#include "draw/layouts/levels.hpp"

namespace quadrille {
namespace {

constexpr double layers_room_for_rank = 34, layers_room_for_switch = 72, least_height = 100, layers_widest = 1150;

// The least slopes of links at which they run over no other rank, and over no other switch.
constexpr double slope_at_ranks = 0.6, slope_at_switches = 0.2;

bool has_only_links_between_levels(const Topology& topology, const ByRank<std::size_t>& levels) {
  for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex)
    for (const Vertex next : topology.neighbours(vertex))
      if (levels[next] != levels[vertex] + 1 && levels[next] + 1 != levels[vertex]) return false;
  return true;
}

// Returns the mean x of the vertices below.
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

}  // namespace

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

}  // namespace quadrille

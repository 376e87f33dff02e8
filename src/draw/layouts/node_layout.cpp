// SPDX-License-Identifier: BSD-3-Clause
// Ranks in their nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "draw/layouts/trace_layout.hpp"

namespace quadrille {
namespace {

constexpr double node_layout_room_for_rank = 38, border_of_node = 10, node_layout_room_for_name = 14,
                 node_layout_between_nodes = 34;
constexpr Count longest_row = 8;  // of ranks

double length_of(Count count, double each) { return static_cast<double>(count) * each; }

Count rows_of(Count count, Count in_a_row) { return (count + in_a_row - 1) / in_a_row; }

}  // namespace

NetworkLayout node_layout(const std::vector<Count>& nodes) {
  std::map<Count, std::vector<Rank>> members;
  Count most = 0;
  for (Rank rank = 0; rank < size(nodes); ++rank) {
    std::vector<Rank>& ranks = members[nodes[index(rank)]];
    ranks.push_back(rank);
    most = std::max(most, size(ranks));
  }
  const auto count = static_cast<Count>(members.size());
  const Count columns =
      most <= longest_row ? most : std::max(longest_row, static_cast<Count>(std::ceil(std::sqrt(2 * static_cast<double>(most)))));
  const double width = length_of(columns, node_layout_room_for_rank) + 2 * border_of_node,
               height = length_of(rows_of(most, columns), node_layout_room_for_rank) + node_layout_room_for_name + border_of_node;
  const double step_x = width + node_layout_between_nodes, step_y = height + node_layout_between_nodes;
  const Count in_a_row = std::clamp<Count>(std::lround(std::sqrt(static_cast<double>(count) * 1.4 * step_y / step_x)), 1, count);
  NetworkLayout layout;
  layout.vertices.resize(nodes.size());
  Count place = 0;
  for (const auto& [node, ranks] : members) {
    const Box box{length_of(place % in_a_row, step_x), length_of(place / in_a_row, step_y), width, height};
    for (Count i = 0; i < size(ranks); ++i)
      layout.vertices[ranks[index(i)]] = {
          {box.x + border_of_node + length_of(i % columns, node_layout_room_for_rank) + node_layout_room_for_rank / 2,
           box.y + node_layout_room_for_name + length_of(i / columns, node_layout_room_for_rank) + node_layout_room_for_rank / 2},
          fmt::format("{}", ranks[index(i)])};
    layout.parts.push_back({box, fmt::format("node {}", node), {box.x + width / 2, box.y + node_layout_room_for_name}});
    ++place;
  }
  layout.width = length_of(in_a_row, step_x) - node_layout_between_nodes;
  layout.height = length_of(rows_of(count, in_a_row), step_y) - node_layout_between_nodes;
  return layout;
}

}  // namespace quadrille

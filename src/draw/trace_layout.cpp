// SPDX-License-Identifier: BSD-3-Clause
// The network of a trace as a topology that `layout_of` places; and, without a network, ranks in their nodes.
#include "draw/trace_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// The network of a trace as a topology. It has the vertices and links; routes are known of the trace's messages only.
class RecordedNetwork : public Network {
 public:
  RecordedNetwork(const TracedNetwork& network, Count ranks) : network_(network), ranks_(ranks) {
    for (std::size_t i = 0; i < network_.links.size(); ++i) {
      const Link& link = network_.links[i];
      by_vertex_[link.from].push_back(link);
      by_number_[link.number] = i;
    }
    for (auto& [vertex, links] : by_vertex_)
      std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.number < b.number; });
  }

  Count ranks() const override { return ranks_; }
  Count vertices() const override { return network_.vertices; }
  std::vector<Count> grid() const override { return is_grid() ? network_.grid : std::vector<Count>(); }
  Count link_count() const override { return size(network_.links); }
  Count link_numbers() const override { return by_number_.empty() ? 0 : by_number_.rbegin()->first + 1; }
  Link link(Count number) const override { return network_.links[by_number_.at(number)]; }
  std::vector<Link> links_from(Vertex vertex) const override {
    const auto found = by_vertex_.find(vertex);
    return found == by_vertex_.end() ? std::vector<Link>() : found->second;
  }
  std::string text_of(const Link& link) const override { return network_.link_texts[by_number_.at(link.number)]; }
  Count distance(Rank, Rank) const override { throw Error(ErrorCode::misuse, no_routes); }
  Result<> for_each_link(Rank, Rank, const std::optional<Port>&, const LinkVisitor&) const override { return cannot(no_routes); }
  bool append_way(Rank, Rank, const std::optional<Port>&, std::vector<Count>&) const override { return false; }
  Bytes exchange_load(Bytes) const override { return 0; }

 private:
  // A file may state any sides.
  bool is_grid() const {
    Count places = 1;
    for (const Count side : network_.grid) {
      const auto more = checked_product(places, side);
      if (side < 1 || !more) return false;
      places = *more;
    }
    return places == ranks_ && network_.vertices == ranks_;
  }

  static constexpr const char* no_routes = "a trace has the routes of its messages only";

  TracedNetwork network_;
  Count ranks_;
  std::map<Vertex, std::vector<Link>> by_vertex_;
  std::map<Count, std::size_t> by_number_;
};

bool is_wide(const std::vector<Count>& grid) {
  return std::count_if(grid.begin(), grid.end(), [](Count side) { return side > 1; }) > 1;
}

// Ranks in their nodes.

constexpr double node_layout_room_for_rank = 38, border_of_node = 10, node_layout_room_for_name = 14,
                 node_layout_between_nodes = 34;
constexpr Count longest_row = 8;  // of ranks

double length_of(Count count, double each) { return static_cast<double>(count) * each; }

}  // namespace

NetworkLayout layout_of(const Trace& trace) {
  const Problem& problem = trace.problem;
  if (trace.network)
    return layout_of(Topology(trace.network->topology, std::make_shared<RecordedNetwork>(*trace.network, problem.ranks)));
  const auto nodes = static_cast<Count>(std::set<Count>(problem.nodes.begin(), problem.nodes.end()).size());
  if (nodes > 1 && nodes < problem.ranks) return node_layout(problem.nodes);
  NetworkLayout layout = layout_of(is_wide(problem.grid) ? Topology::mesh(problem.grid) : Topology::full(problem.ranks));
  layout.stubs.clear();
  return layout;
}

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
               height = length_of(ceil_divide(most, columns), node_layout_room_for_rank) + node_layout_room_for_name + border_of_node;
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
  layout.height = length_of(ceil_divide(count, in_a_row), step_y) - node_layout_between_nodes;
  return layout;
}

}  // namespace quadrille

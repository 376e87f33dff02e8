// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::uint16_t unknown_distance = std::numeric_limits<std::uint16_t>::max();
constexpr Count most_distances = Count{1} << 29;
constexpr Count most_looks = Count{1} << 32;  // limit on visits to links, about ten seconds

}  // namespace

Graph::Graph(std::string name, Count ranks, Count vertices, const std::vector<Edge>& edges, std::vector<std::string> switch_names,
             std::vector<Count> nodes, Count machine_capacity)
    : name_(std::move(name)), ranks_(ranks), switch_names_(std::move(switch_names)), nodes_(std::move(nodes)) {
  Count distance_count = 0;
  const auto links = static_cast<Count>(2 * edges.size());
  if (__builtin_mul_overflow(ranks, vertices, &distance_count) || distance_count > most_distances || vertices >= unknown_distance ||
      links > most_looks / std::max<Count>(1, ranks))
    throw Error(ErrorCode::too_large,
                fmt::format("the topology '{}' has {} ranks, {} switches and {} links: too many to compute routes", name_, ranks,
                            vertices - ranks, links));
  first_link_.assign(index(vertices) + 1, 0);
  for (const Edge& edge : edges)
    for (const Vertex end : {edge.a, edge.b}) ++first_link_[index(end) + 1];
  for (std::size_t i = 1; i < first_link_.size(); ++i) first_link_[i] += first_link_[i - 1];
  links_.resize(2 * edges.size());
  if (std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) { return edge.capacity != machine_capacity; }))
    capacities_ = {machine_capacity, std::vector<Count>(links_.size())};
  std::vector<Count> next = first_link_;
  for (const auto& [a, b, capacity] : edges)
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      const Count number = next[index(from)]++;
      links_[index(number)] = {number, from, to, 0};
      if (!capacities_.of_links.empty()) capacities_.of_links[index(number)] = capacity;
    }
  by_end_.resize(links_.size());
  std::iota(by_end_.begin(), by_end_.end(), Count{0});
  std::stable_sort(by_end_.begin(), by_end_.end(), [&](Count a, Count b) {
    const Link &one = links_[index(a)], &other = links_[index(b)];
    return std::pair(one.from, one.to) < std::pair(other.from, other.to);
  });
  distances_.assign(index(distance_count), unknown_distance);
  std::vector<std::int32_t> ends;  // ends of the links in one compact array, because they are read once for each rank
  ends.reserve(links_.size());
  for (const Link& link : links_) ends.push_back(static_cast<std::int32_t>(link.to));
  for (Rank to = 0; to < ranks_; ++to) search(to, ends);
}

// Finds the distances from every vertex to a rank. The search follows links from the rank. Each edge has a link in each
// direction, so the distances to the rank are the same.
void Graph::search(Rank to, const std::vector<std::int32_t>& ends) {
  std::uint16_t* distances = distances_.data() + to * vertices();
  std::vector<Vertex> reached{to};
  distances[to] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Vertex here = reached[i];
    for (Count link = first_link_[index(here)]; link < first_link_[index(here) + 1]; ++link) {
      const Vertex next = ends[index(link)];
      if (distances[next] != unknown_distance) continue;
      distances[next] = static_cast<std::uint16_t>(distances[here] + 1);
      reached.push_back(next);
    }
  }
  for (Rank from = 0; from < ranks_; ++from)
    if (distances[from] == unknown_distance)
      throw Error(ErrorCode::misuse,
                  fmt::format("there is no route from rank {} to rank {} in the topology '{}'", from, to, name_));
}

std::vector<Link> Graph::links_from(Vertex vertex) const {
  const auto first = links_.begin() + first_link_[index(vertex)];
  return {first, links_.begin() + first_link_[index(vertex) + 1]};
}

std::string Graph::text_of(Vertex vertex) const {
  if (vertex < ranks_) return fmt::format("{}", vertex);
  const Count number = vertex - ranks_;
  return number < size(switch_names_) ? switch_names_[index(number)] : fmt::format("switch {}", number);
}

std::string Graph::text_of(const Link& link) const { return fmt::format("{} -> {}", text_of(link.from), text_of(link.to)); }

template <class Visit>
void Graph::walk_way(Rank from, Rank to, Visit&& visit) const {
  Count digits = to;
  for (Vertex here = from; here != to;) {
    const std::size_t first = index(first_link_[index(here)]);
    const std::size_t last = index(first_link_[index(here) + 1]);
    const std::span<const Count> own(by_end_.data() + first, last - first);
    const auto closer = hops(here, to);
    // Calls look(link, is_first) for each link that leads towards the receiver. Parallel links are visited one after the other;
    // is_first is true for the first link to each neighbour.
    const auto for_each_onward = [&](auto&& look) {
      Vertex before = -1;
      for (const Count number : own) {
        const Link& link = links_[index(number)];
        if (hops(link.to, to) >= closer) continue;
        look(link, link.to != before);
        before = link.to;
      }
    };
    Count neighbours = 0;
    for_each_onward([&](const Link&, bool is_first) { neighbours += is_first ? 1 : 0; });
    QUADRILLE_ASSERT(neighbours > 0);
    const Count chosen = digits % neighbours;
    digits /= neighbours;
    Count neighbour = -1, parallel = 0;
    for_each_onward([&](const Link&, bool is_first) {
      neighbour += is_first ? 1 : 0;
      parallel += neighbour == chosen ? 1 : 0;
    });
    Count index = -1, left = digits % parallel;
    const Link* taken = nullptr;
    for_each_onward([&](const Link& link, bool is_first) {
      index += is_first ? 1 : 0;
      if (index == chosen && left-- == 0) taken = &link;
    });
    QUADRILLE_ASSERT(taken);
    visit(*taken);
    here = taken->to;
  }
}

Result<> Graph::for_each_link(Rank from, Rank to, const std::optional<Port>& port, const LinkVisitor& visit) const {
  if (port) return cannot(fmt::format("{} has no dimension {}", name_, port->dimension));
  walk_way(from, to, visit);
  return {};
}

bool Graph::append_way(Rank from, Rank to, const std::optional<Port>& port, std::vector<Count>& numbers) const {
  if (port) return false;
  walk_way(from, to, [&](const Link& link) { numbers.push_back(link.number); });
  return true;
}

Bytes Graph::exchange_load(Bytes block_bytes) const {
  __extension__ typedef __int128 Wide;
  Wide hop_count = 0, most = 0;
  const auto share = [&](Wide blocks, Count first, Count last) {
    Wide capacity = 0;
    for (Count number = first; number < last; ++number) capacity += capacities_.of(number);
    if (capacity > 0) most = std::max(most, (blocks * block_bytes * capacities_.of_machine + capacity - 1) / capacity);
  };
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (Rank to = 0; to < ranks_; ++to) hop_count += hops(rank, to);
    share(ranks_ - 1, first_link_[index(rank)], first_link_[index(rank) + 1]);
  }
  share(hop_count, 0, link_count());
  return static_cast<Bytes>(most);
}

void check_graph_numbers(const std::string& name, const std::vector<Count>& numbers) {
  Count product = 1;
  for (const Count number : numbers) {
    if (number < 1)
      throw Error(ErrorCode::misuse, fmt::format("a number of the topology '{}' is {}; all are 1 or more", name, number));
    if (__builtin_mul_overflow(product, number, &product) || product > most_graph_ranks)
      throw Error(ErrorCode::too_large, fmt::format("the topology '{}' has more than 2^20 ranks", name));
  }
}

void check_graph_edges(const std::string& name, Count edges) {
  if (edges > most_graph_edges)
    throw Error(ErrorCode::too_large,
                fmt::format("the topology '{}' has {} edges; the limit is {}", name, edges, most_graph_edges));
}

}  // namespace quadrille

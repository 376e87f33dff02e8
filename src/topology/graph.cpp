// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr std::uint16_t unknown_distance = std::numeric_limits<std::uint16_t>::max();
constexpr Count most_distances = Count{1} << 29;

}  // namespace

Graph::Graph(std::string name, Count ranks, Count vertices, const std::vector<Edge>& edges, std::vector<std::string> switch_names,
             std::vector<Count> nodes)
    : name_(std::move(name)), ranks_(ranks), switch_names_(std::move(switch_names)), nodes_(std::move(nodes)) {
  Count distance_count = 0;
  if (__builtin_mul_overflow(ranks, vertices, &distance_count) || distance_count > most_distances || vertices >= unknown_distance)
    throw Error(ErrorCode::too_large, fmt::format("the topology '{}' has {} ranks and {} switches: too many to look for ways",
                                                  name_, ranks, vertices - ranks));
  first_link_.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (const auto& [a, b] : edges)
    for (const Vertex end : {a, b}) ++first_link_[static_cast<std::size_t>(end) + 1];
  for (std::size_t i = 1; i < first_link_.size(); ++i) first_link_[i] += first_link_[i - 1];
  links_.resize(2 * edges.size());
  std::vector<Count> next = first_link_;
  for (const auto& [a, b] : edges)
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      const Count number = next[static_cast<std::size_t>(from)]++;
      links_[static_cast<std::size_t>(number)] = {number, from, to, 0};
    }
  distances_.assign(static_cast<std::size_t>(distance_count), unknown_distance);
  for (Rank to = 0; to < ranks_; ++to) search(to);
}

// Every edge leads both ways, so the distances to a rank are those from it.
void Graph::search(Rank to) {
  const auto distances = distances_.begin() + to * vertices();
  std::vector<Vertex> reached{to};
  distances[to] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Link& link : links_from(reached[i])) {
      if (distances[link.to] != unknown_distance) continue;
      distances[link.to] = static_cast<std::uint16_t>(distances[reached[i]] + 1);
      reached.push_back(link.to);
    }
  for (Rank from = 0; from < ranks_; ++from)
    if (distances[from] == unknown_distance)
      throw Error(ErrorCode::misuse, fmt::format("no way leads from rank {} to rank {} in the topology '{}'", from, to, name_));
}

std::vector<Link> Graph::links_from(Vertex vertex) const {
  const auto first = links_.begin() + first_link_[static_cast<std::size_t>(vertex)];
  return {first, links_.begin() + first_link_[static_cast<std::size_t>(vertex) + 1]};
}

std::string Graph::text_of(Vertex vertex) const {
  if (vertex < ranks_) return fmt::format("{}", vertex);
  const auto index = static_cast<std::size_t>(vertex - ranks_);
  return index < switch_names_.size() ? switch_names_[index] : fmt::format("switch {}", index);
}

std::string Graph::text_of(const Link& link) const { return fmt::format("{} -> {}", text_of(link.from), text_of(link.to)); }

std::optional<std::string> Graph::for_each_link(Rank from, Rank to, const std::optional<Port>& port,
                                                const LinkVisitor& visit) const {
  if (port) return fmt::format("{} has no dimension {} to run along", name_, port->dimension);
  Count digits = to;
  for (Vertex here = from; here != to;) {
    std::vector<Link> onwards = links_from(here);
    std::erase_if(onwards, [&](const Link& link) { return hops(link.to, to) >= hops(here, to); });
    std::stable_sort(onwards.begin(), onwards.end(), [](const Link& a, const Link& b) { return a.to < b.to; });
    std::vector<std::size_t> neighbours;  // the first link to each
    for (std::size_t i = 0; i < onwards.size(); ++i)
      if (i == 0 || onwards[i].to != onwards[i - 1].to) neighbours.push_back(i);
    const auto ways = static_cast<Count>(neighbours.size());
    const auto chosen = static_cast<std::size_t>(digits % ways);
    digits /= ways;
    const std::size_t first = neighbours[chosen], last = chosen + 1 < neighbours.size() ? neighbours[chosen + 1] : onwards.size();
    const Link& taken = onwards[first + static_cast<std::size_t>(digits % static_cast<Count>(last - first))];
    visit(taken);
    here = taken.to;
  }
  return std::nullopt;
}

Bytes Graph::exchange_load(Bytes block_bytes) const {
  __extension__ typedef __int128 Wide;
  Wide hop_count = 0, most = 0;
  const auto share = [&](Wide blocks, Count link_count) {
    if (link_count > 0) most = std::max(most, (blocks * block_bytes + link_count - 1) / link_count);
  };
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (Rank to = 0; to < ranks_; ++to) hop_count += hops(rank, to);
    share(ranks_ - 1, static_cast<Count>(links_from(rank).size()));
  }
  share(hop_count, link_count());
  return static_cast<Bytes>(most);
}

}  // namespace quadrille

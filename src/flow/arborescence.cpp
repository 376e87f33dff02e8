// SPDX-License-Identifier: BSD-3-Clause
#include "flow/arborescence.hpp"

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

struct Arc {
  std::size_t from = 0, to = 0;
  double cost = 0;
  std::size_t number = 0;  // in the caller's list
};

constexpr std::size_t no_arc = ~std::size_t{0};

// Numbers the vertices after each circle of cheapest arcs has become one vertex. Returns how many vertices remain.
std::size_t contract(const std::vector<Arc>& arcs, const std::vector<std::size_t>& cheapest, std::size_t root,
                     std::vector<std::size_t>& merged, std::vector<bool>& is_on_circle) {
  const std::size_t vertices = cheapest.size();
  std::vector<std::size_t> seen_from(vertices, no_arc);  // the vertex from which a walk came here first
  merged.assign(vertices, no_arc);
  is_on_circle.assign(vertices, false);
  std::size_t count = 0;
  for (std::size_t start = 0; start < vertices; ++start) {
    std::size_t here = start;
    while (here != root && seen_from[here] == no_arc) seen_from[here] = start, here = arcs[cheapest[here]].from;
    if (here == root || seen_from[here] != start || merged[here] != no_arc) continue;
    for (; merged[here] == no_arc; here = arcs[cheapest[here]].from) merged[here] = count, is_on_circle[here] = true;
    ++count;
  }
  for (std::size_t& number : merged)
    if (number == no_arc) number = count++;
  return count;
}

// Returns the places in `arcs` of the tree's arcs.
std::vector<std::size_t> tree_arcs(std::size_t vertices, std::size_t root, const std::vector<Arc>& arcs) {
  std::vector<std::size_t> cheapest(vertices, no_arc);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const Arc& arc = arcs[i];
    if (arc.from == arc.to || arc.to == root) continue;
    std::size_t& best = cheapest[arc.to];
    if (best == no_arc || arc.cost < arcs[best].cost) best = i;
  }
  std::vector<std::size_t> merged, tree;
  std::vector<bool> is_on_circle;
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) QUADRILLE_ASSERT(vertex == root || cheapest[vertex] != no_arc);
  const std::size_t count = contract(arcs, cheapest, root, merged, is_on_circle);
  std::vector<bool> is_entered(vertices, false);
  if (count < vertices) {
    std::vector<Arc> fewer;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      const Arc& arc = arcs[i];
      if (arc.to == root || merged[arc.from] == merged[arc.to]) continue;
      fewer.push_back({merged[arc.from], merged[arc.to], arc.cost - (is_on_circle[arc.to] ? arcs[cheapest[arc.to]].cost : 0), i});
    }
    for (const std::size_t taken : tree_arcs(count, merged[root], fewer)) {
      tree.push_back(fewer[taken].number);
      is_entered[arcs[fewer[taken].number].to] = true;
    }
  }
  // Each circle is opened where an arc enters it.
  for (std::size_t vertex = 0; vertex < vertices; ++vertex)
    if (vertex != root && !is_entered[vertex] && (count == vertices || is_on_circle[vertex])) tree.push_back(cheapest[vertex]);
  return tree;
}

}  // namespace

std::vector<PartStep> cheapest_tree(const RankNetwork& network, Rank root, const std::vector<double>& costs) {
  std::vector<Arc> arcs;
  for (std::size_t hop = 0; hop < network.hops.size(); ++hop)
    arcs.push_back({index(network.hops[hop].from), index(network.hops[hop].to), costs[hop], hop});
  std::vector<std::vector<std::size_t>> below(index(network.ranks));
  for (const std::size_t arc : tree_arcs(index(network.ranks), index(root), arcs))
    below[arcs[arc].from].push_back(arcs[arc].number);
  std::vector<PartStep> steps;
  for (const std::size_t hop : below[index(root)]) steps.push_back({hop, -1});
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const std::size_t hop : below[index(network.hops[steps[i].hop].to)]) steps.push_back({hop, static_cast<Count>(i)});
  QUADRILLE_ASSERT(size(steps) == network.ranks - 1);
  return steps;
}

}  // namespace quadrille

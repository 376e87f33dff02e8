// SPDX-License-Identifier: BSD-3-Clause
#include "problem/node_ranks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "problem/limits.hpp"

namespace quadrille {
namespace {

std::vector<Count> nodes_or_ranks(const Problem& problem) {
  check_limit(problem, problem.ranks, most_listed, "entries in a list of nodes");
  check_memory(problem, times_at_most(problem.ranks, 5 * sizeof(Count), std::numeric_limits<Bytes>::max()), "nodes");
  if (!problem.nodes.empty()) return problem.nodes;
  std::vector<Count> nodes(static_cast<std::size_t>(problem.ranks));
  std::iota(nodes.begin(), nodes.end(), Count{0});
  return nodes;
}

}  // namespace

NodeRanks::NodeRanks(const std::vector<Count>& node_of_each_rank)
    : nodes_(node_of_each_rank.size()), indices_(node_of_each_rank.size()), ranks_(node_of_each_rank.size()) {
  const auto number = [&](Rank rank) { return node_of_each_rank[static_cast<std::size_t>(rank)]; };
  std::iota(ranks_.begin(), ranks_.end(), Rank{0});
  const auto by_node = [&](Rank a, Rank b) { return number(a) < number(b); };
  if (!std::is_sorted(ranks_.begin(), ranks_.end(), by_node)) std::stable_sort(ranks_.begin(), ranks_.end(), by_node);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (i == 0 || number(ranks_[i]) != number(ranks_[i - 1])) starts_.push_back(static_cast<Count>(i));
    const auto rank = static_cast<std::size_t>(ranks_[i]);
    nodes_[rank] = static_cast<Count>(starts_.size()) - 1;
    indices_[rank] = static_cast<Count>(i) - starts_.back();
  }
  starts_.push_back(static_cast<Count>(ranks_.size()));
}

NodeRanks::NodeRanks(const Problem& problem) : NodeRanks(nodes_or_ranks(problem)) {}

NodeRanks NodeRanks::dealt(Count parts) const {
  std::vector<Count> nodes(nodes_.size());
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) nodes[rank] = nodes_[rank] * parts + indices_[rank] % parts;
  return NodeRanks(nodes);
}

std::vector<Count> NodeRanks::sizes() const {
  std::vector<Count> sizes(static_cast<std::size_t>(node_count()));
  for (std::size_t node = 0; node < sizes.size(); ++node) sizes[node] = size(static_cast<Count>(node));
  return sizes;
}

Count NodeRanks::largest() const {
  Count largest = 0;
  for (Count node = 0; node < node_count(); ++node) largest = std::max(largest, size(node));
  return largest;
}

}  // namespace quadrille

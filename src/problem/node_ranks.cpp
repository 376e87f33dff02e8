// SPDX-License-Identifier: BSD-3-Clause
#include "problem/node_ranks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

std::vector<Count> nodes_or_ranks(const Problem& problem) {
  check_limit(problem, problem.ranks, most_listed, "entries in a list of nodes");
  check_memory(problem, times_at_most(problem.ranks, 5 * sizeof(Count), std::numeric_limits<Bytes>::max()), "nodes");
  if (!problem.nodes.empty()) return problem.nodes;
  std::vector<Count> nodes(index(problem.ranks));
  std::iota(nodes.begin(), nodes.end(), Count{0});
  return nodes;
}

}  // namespace

NodeRanks::NodeRanks(const std::vector<Count>& node_of_each_rank)
    : nodes_(quadrille::size(node_of_each_rank)), indices_(nodes_), ranks_(nodes_) {
  const auto number = [&](Rank rank) { return node_of_each_rank[index(rank)]; };
  std::iota(ranks_.begin(), ranks_.end(), Rank{0});
  const auto by_node = [&](Rank a, Rank b) { return number(a) < number(b); };
  if (!std::is_sorted(ranks_.begin(), ranks_.end(), by_node)) std::stable_sort(ranks_.begin(), ranks_.end(), by_node);
  for (Count i = 0; i < rank_count(); ++i) {
    const Rank rank = ranks_[i];
    if (i == 0 || number(rank) != number(ranks_[i - 1])) starts_.push_back(i);
    nodes_[rank] = node_count();
    indices_[rank] = i - starts_.back();
  }
  starts_.push_back(rank_count());
}

NodeRanks::NodeRanks(const Problem& problem) : NodeRanks(nodes_or_ranks(problem)) {}

NodeRanks NodeRanks::dealt(Count parts) const {
  ByRank<Count> nodes(rank_count());
  for (Rank rank = 0; rank < rank_count(); ++rank) nodes[rank] = nodes_[rank] * parts + indices_[rank] % parts;
  return NodeRanks(nodes);
}

std::vector<Count> NodeRanks::sizes() const {
  std::vector<Count> sizes;
  for (Count node = 0; node < node_count(); ++node) sizes.push_back(size(node));
  return sizes;
}

Count NodeRanks::largest() const {
  Count largest = 0;
  for (Count node = 0; node < node_count(); ++node) largest = std::max(largest, size(node));
  return largest;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Which ranks are on which node, and each rank's number within its node. A problem may name nodes by any numbers, and the ranks of
// a node need not be consecutive. Here nodes are numbered 0, 1, .. in the order of the problem's numbers, and the ranks of a node
// are listed in ascending order.
#pragma once

#include <span>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

// Build this object once for all ranks: it takes O(p log p) time, or O(p) if the node numbers ascend with the ranks.
class NodeRanks {
 public:
  explicit NodeRanks(const std::vector<Count>& node_of_each_rank);
  explicit NodeRanks(const Problem& problem);  // if it names no nodes, every rank is a node of its own

  // Returns a division in which each node is split into `parts` nodes, or into one node for each rank if it has fewer ranks. The
  // ranks are assigned round robin.
  NodeRanks dealt(Count parts) const;

  Count rank_count() const { return quadrille::size(nodes_); }
  Count node_count() const { return quadrille::size(starts_) - 1; }
  Count node_of(Rank rank) const { return nodes_[rank]; }
  Count index_of(Rank rank) const { return indices_[rank]; }  // its number among the ranks of its node
  std::span<const Rank> ranks(Count node) const { return std::span(ranks_).subspan(index(starts_[node]), index(size(node))); }
  Count size(Count node) const { return starts_[node + 1] - starts_[node]; }
  std::vector<Count> sizes() const;  // by node
  Count largest() const;             // the size of the largest node

 private:
  ByRank<Count> nodes_, indices_;
  ByRank<Rank> ranks_;    // sorted by node, then by rank
  ByRank<Count> starts_;  // by node: index of its first rank in ranks_; the last entry is the number of ranks
};

}  // namespace quadrille

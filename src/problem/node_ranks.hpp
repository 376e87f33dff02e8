// SPDX-License-Identifier: BSD-3-Clause
// Which ranks sit on which node, and who is who there. A rank's node may be any number and its ranks need not follow each other;
// here nodes are 0, 1, .. in the order of the problem's numbers for them, and a node's ranks stand in ascending order.
#pragma once

#include <span>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

// Made once for all ranks, in O(p log p); O(p) where nodes ascend.
class NodeRanks {
 public:
  explicit NodeRanks(const std::vector<Count>& node_of_each_rank);
  explicit NodeRanks(const Problem& problem);  // where it names no nodes, every rank is a node of its own

  // Each node's ranks dealt out like cards to `parts` nodes, or to as many as there are ranks.
  NodeRanks dealt(Count parts) const;

  Count rank_count() const { return quadrille::size(nodes_); }
  Count node_count() const { return quadrille::size(starts_) - 1; }
  Count node_of(Rank rank) const { return nodes_[rank]; }
  Count index_of(Rank rank) const { return indices_[rank]; }  // among the ranks of its node
  std::span<const Rank> ranks(Count node) const { return std::span(ranks_).subspan(index(starts_[node]), index(size(node))); }
  Count size(Count node) const { return starts_[node + 1] - starts_[node]; }
  std::vector<Count> sizes() const;  // of each node
  Count largest() const;             // size

 private:
  ByRank<Count> nodes_, indices_;
  ByRank<Rank> ranks_;    // by node, then rank
  ByRank<Count> starts_;  // by node: in ranks_; one more than there are nodes
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Which ranks sit on which node, and who is who there. A rank's node may be any number and its ranks need not follow each other;
// here nodes are 0, 1, .. in the order of the problem's numbers for them, and a node's ranks stand in ascending order.
#pragma once

#include <span>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

// Made once for all ranks, in O(p log p); O(p) where nodes ascend.
class NodeRanks {
 public:
  explicit NodeRanks(const std::vector<Count>& node_of_each_rank);
  explicit NodeRanks(const Problem& problem);  // where it names no nodes, every rank is a node of its own

  // Each node's ranks dealt out like cards to `parts` nodes, or to as many as there are ranks.
  NodeRanks dealt(Count parts) const;

  Count rank_count() const { return static_cast<Count>(nodes_.size()); }
  Count node_count() const { return static_cast<Count>(starts_.size()) - 1; }
  Count node_of(Rank rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  Count index_of(Rank rank) const { return indices_[static_cast<std::size_t>(rank)]; }  // among the ranks of its node
  std::span<const Rank> ranks(Count node) const {
    const auto first = static_cast<std::size_t>(starts_[static_cast<std::size_t>(node)]);
    return std::span(ranks_).subspan(first, static_cast<std::size_t>(size(node)));
  }
  Count size(Count node) const { return starts_[static_cast<std::size_t>(node) + 1] - starts_[static_cast<std::size_t>(node)]; }
  std::vector<Count> sizes() const;  // of each node
  Count largest() const;             // size

 private:
  std::vector<Count> nodes_, indices_;  // by rank
  std::vector<Rank> ranks_;             // by node, then rank
  std::vector<Count> starts_;           // in ranks_; one more than there are nodes
};

}  // namespace quadrille

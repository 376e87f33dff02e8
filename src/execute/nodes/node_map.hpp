// SPDX-License-Identifier: BSD-3-Clause
// Which ranks are on which node. A rank's place is its number among the ranks of its node.
#pragma once

#include <algorithm>

#include "patterns/packing_rule.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class NodeMap {
 public:
  // `nodes`: by rank, its node. Nodes are numbered from 0.
  NodeMap(const ByRank<Count>& nodes, Rank me) : own_(nodes[me]) {
    for (const Count node : nodes) {
      if (node >= quadrille::size(ranks_)) ranks_.resize(index(node + 1));
      where_.push_back({node, quadrille::size(ranks_[node])});
      ranks_[node].push_back(quadrille::size(where_) - 1);
    }
  }

  Count most_ranks() const {
    Count most = 0;
    for (const auto& node : ranks_) most = std::max(most, quadrille::size(node));
    return most;
  }
  Count rank_count() const { return quadrille::size(where_); }
  Count count() const { return quadrille::size(ranks_); }
  Count own() const { return own_; }
  Count ranks_of(Count node) const { return quadrille::size(ranks_[node]); }
  Count node_of(Rank rank) const { return where_[rank].node; }
  Rank place_of(Rank rank) const { return where_[rank].place; }
  Rank rank_at(Count node, Rank place) const { return ranks_[node][place]; }

  // packing_rule.hpp defines the order of partners and the leaders.
  Count node_after(Count steps) const { return quadrille::node_after(own_, steps, count()); }
  Count steps_to(Count node) const { return steps_between(own_, node, count()); }
  Rank leader(Count node, Count other) const {
    return rank_at(node, leader_after(steps_between(node, other, count()), ranks_of(node)));
  }

 private:
  struct Where {
    Count node;
    Rank place;
  };
  const Count own_;
  ByRank<Where> where_;
  ByRank<ByRank<Rank>> ranks_;  // by node and place
};

}  // namespace quadrille

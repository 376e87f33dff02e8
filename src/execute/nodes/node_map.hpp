// SPDX-License-Identifier: BSD-3-Clause
// Which ranks are on which node, seen from one rank. A rank's place is its number among the ranks of its node.
#pragma once

#include "patterns/packing_rule.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class NodeMap {
 public:
  // `nodes`: by rank, its node.
  NodeMap(const ByRank<Count>& nodes, Rank me) : nodes_(nodes), own_(nodes_.node_of(me)) {}

  Count rank_count() const { return nodes_.rank_count(); }
  Count most_ranks() const { return nodes_.largest(); }
  Count count() const { return nodes_.node_count(); }
  Count own() const { return own_; }
  Count ranks_of(Count node) const { return nodes_.size(node); }
  Count node_of(Rank rank) const { return nodes_.node_of(rank); }
  Rank place_of(Rank rank) const { return nodes_.index_of(rank); }
  Rank rank_at(Count node, Rank place) const { return nodes_.ranks(node)[index(place)]; }

  // packing_rule.hpp defines the order of partners and the leaders.
  Count node_after(Count steps) const { return quadrille::node_after(own_, steps, count()); }
  Count steps_to(Count node) const { return steps_between(own_, node, count()); }
  // A rank's number among those of its node that may lead for the partner `other`, and the rank with a number.
  Count number_to_lead(Count node, Rank place, Count other) const {
    return number_in_circle(place, begin_of_circle_for(node, other), ranks_of(node));
  }
  Rank leader(Count node, Count other, Count number) const {
    return rank_at(node, place_in_circle(number, begin_of_circle_for(node, other), ranks_of(node)));
  }

 private:
  Rank begin_of_circle_for(Count node, Count other) const {
    return begin_of_circle(steps_between(node, other, count()), ranks_of(node));
  }

  const NodeRanks nodes_;
  const Count own_;
};

}  // namespace quadrille

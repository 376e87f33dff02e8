// SPDX-License-Identifier: BSD-3-Clause
// Lanes between nodes. The ranks of each node are cut into as many groups of ranks with neighbouring numbers as there are lanes,
// and one rank of each group, its leader, exchanges data with other nodes. The leaders of the groups with the same number form a
// lane.
#pragma once

#include "problem/node_ranks.hpp"

namespace quadrille {

class Lanes {
 public:
  enum class Leader : std::uint8_t { first, last };  // of the ranks of a group
  // Nodes are numbered in the order of their lowest ranks. The root of a rooted collective leads its group.
  // Needs 1 <= lanes <= the size of the smallest node.
  Lanes(const Problem& problem, Count lanes, Leader leader = Leader::first);

  Count count() const { return lanes_; }
  Count node_count() const { return nodes_.node_count(); }
  bool all_lead() const { return lanes_ == nodes_.largest(); }  // every group has one rank
  bool nodes_are_consecutive() const;
  bool nodes_are_equal() const;  // in size

  // Groups of ranks that run a schedule together. `lanes` has one group more than there are lanes: ranks that lead no group.
  const NodeRanks& nodes() const { return nodes_; }
  const NodeRanks& groups() const { return groups_; }  // group l of node a is number a * count() + l
  const NodeRanks& lanes() const { return by_lane_; }

  Count lane_of(Rank rank) const { return groups_.node_of(rank) % lanes_; }  // of the rank's group
  bool leads(Rank rank) const { return by_lane_.node_of(rank) < lanes_; }
  Rank leader(Count group) const { return leaders_[group]; }
  Count group(Count node, Count lane) const { return node * lanes_ + lane; }

 private:
  Count lanes_;
  NodeRanks nodes_, groups_;
  ByRank<Rank> leaders_;  // by group
  NodeRanks by_lane_;
};

// The size of the smallest node, which is the most lanes, and of the largest one; 1 if the problem names no nodes.
Count most_lanes(const Problem& problem);
Count largest_node(const Problem& problem);

}  // namespace quadrille

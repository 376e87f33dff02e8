// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/hierarchy/lanes.hpp"

#include <algorithm>

#include "patterns/cut.hpp"

namespace quadrille {
namespace {

NodeRanks by_lowest_rank(const Problem& problem) {
  const NodeRanks given(problem);
  std::vector<Count> numbers(index(problem.ranks));
  ByRank<Count> renumbered(given.node_count(), -1);
  Count next = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    Count& number = renumbered[given.node_of(rank)];
    if (number < 0) number = next++;
    numbers[index(rank)] = number;
  }
  return NodeRanks(numbers);
}

NodeRanks cut(const NodeRanks& nodes, Count lanes) {
  std::vector<Count> groups(index(nodes.rank_count()));
  for (Count node = 0; node < nodes.node_count(); ++node)
    for (Count lane = 0; lane < lanes; ++lane)
      for (Count i = cut_position(nodes.size(node), lanes, lane); i < cut_position(nodes.size(node), lanes, lane + 1); ++i)
        groups[index(nodes.ranks(node)[index(i)])] = node * lanes + lane;
  return NodeRanks(groups);
}

ByRank<Rank> leaders_of(const Problem& problem, const NodeRanks& groups, Lanes::Leader leader) {
  ByRank<Rank> leaders(groups.node_count());
  for (Count group = 0; group < groups.node_count(); ++group)
    leaders[group] = leader == Lanes::Leader::first ? groups.ranks(group).front() : groups.ranks(group).back();
  if (is_rooted(problem.collective)) leaders[groups.node_of(problem.root)] = problem.root;
  return leaders;
}

NodeRanks lanes_of(const ByRank<Rank>& leaders, Count ranks, Count lanes) {
  std::vector<Count> numbers(index(ranks), lanes);
  for (Count group = 0; group < static_cast<Count>(leaders.size()); ++group) numbers[index(leaders[group])] = group % lanes;
  return NodeRanks(numbers);
}

}  // namespace

Lanes::Lanes(const Problem& problem, Count lanes, Leader leader)
    : lanes_(lanes),
      nodes_(by_lowest_rank(problem)),
      groups_(cut(nodes_, lanes)),
      leaders_(leaders_of(problem, groups_, leader)),
      by_lane_(lanes_of(leaders_, problem.ranks, lanes)) {}

bool Lanes::nodes_are_consecutive() const {
  for (Rank rank = 1; rank < nodes_.rank_count(); ++rank)
    if (nodes_.node_of(rank) < nodes_.node_of(rank - 1)) return false;
  return true;
}

bool Lanes::nodes_are_equal() const { return nodes_.rank_count() == nodes_.node_count() * nodes_.largest(); }

Count most_lanes(const Problem& problem) {
  if (problem.nodes.empty()) return 1;
  const std::vector<Count> sizes = NodeRanks(problem).sizes();
  return *std::min_element(sizes.begin(), sizes.end());
}

Count largest_node(const Problem& problem) { return problem.nodes.empty() ? 1 : NodeRanks(problem).largest(); }

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// broadcast/hierarchical: each lane broadcasts a part of the vector between nodes; then the ranks of each node gather all parts.
// Source  [traff2020] broadcast decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   several nodes, one with several ranks; what the parts need; lanes <= ranks of the smallest node.
// Idea    The vector is cut into a part for each lane. The root scatters the parts to the leaders of its node, each lane
//         broadcasts its part between the nodes, and the ranks of each node gather the parts. With one lane there is
//         nothing to scatter, and the leader of each node broadcasts the vector there.
// Cost    b bytes enter each node but the root's, the least possible; C1 is the sum of the parts' rounds.
// Prefer  several ranks on a node. Use one lane for short vectors, or if one rank can keep the node's link busy. Use segments=k
//         for long vectors, so that transfers between and inside nodes overlap.
#include "collectives/hierarchy/hierarchy.hpp"

namespace quadrille {
namespace {

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters&) {
  const VectorParts vector(problem, lanes);
  const Rank root = problem.root;
  const auto in_roots_node = [&lanes, root](Rank rank) { return lanes.nodes().node_of(rank) == lanes.nodes().node_of(root); };
  // The parts that leave the root's node. The root itself sends its part from its input.
  const auto at_home = [=](Rank rank) {
    return in_roots_node(rank) ? vector.held(rank == root ? Buffer::input : Buffer::output, rank) : Regions{};
  };
  std::vector<Phase> all;
  if (lanes.count() > 1)
    all.push_back(vector.in_roots_node(
        "scatter in the root's node", Collective::scatter,
        [=](Rank rank) { return rank == root ? Regions{vector.whole(Buffer::input)} : Regions{}; }, at_home));
  all.push_back(vector.between_nodes("broadcast between nodes", Collective::broadcast, at_home,
                                     [=](Rank rank) { return vector.held(Buffer::output, rank); }));
  all.push_back(vector.spread_in_nodes());
  return all;
}

}  // namespace

extern const Algorithm broadcast_hierarchical = hierarchical<phases>(
    Collective::broadcast, "each lane of leaders broadcasts its part between nodes; the ranks of a node share all parts",
    "Between the nodes each lane of leaders carries its part of the vector; then the ranks of a node give each other the parts. So "
    "the vector enters each other node once, and several ranks of a node carry it together.");

}  // namespace quadrille

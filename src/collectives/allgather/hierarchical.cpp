// SPDX-License-Identifier: BSD-3-Clause
// allgather/hierarchical, allgatherv/hierarchical: lanes gather shares between nodes, then ranks gather them inside nodes.
// Source  [traff2020] allgather decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   what the parts need: any nodes; lanes <= ranks of the smallest node.
// Idea    The ranks of each node send their shares to the leaders of their groups. Each lane runs an allgather of these shares
//         between the nodes. Then the ranks of each node gather the shares of all lanes. If every rank leads, the first step is
//         left out. With one lane, leaders broadcast everything inside their nodes.
// Cost    The shares of all other nodes enter a node once, the least possible; C1 is the sum of the parts' rounds.
// Prefer  several ranks on a node. One lane for short shares.
#include "collectives/hierarchy/hierarchy.hpp"

namespace quadrille {
namespace {

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters&) {
  const ShareParts shares(problem, lanes);
  const auto own = [&problem](Rank rank) { return Regions{{Buffer::input, 0, input_bytes(problem, rank), {}}}; };
  // Where the shares of a leader's group lie: at their place in the output, or in the input if the leader is alone in its group.
  const auto of_group = [=, &lanes](Rank rank) {
    const Count group = lanes.groups().node_of(rank);
    if (!lanes.leads(rank)) return Regions{};
    return lanes.groups().size(group) == 1 ? own(rank) : shares.of_group(Buffer::output, group);
  };
  const auto of_lane = [=, &lanes](Rank rank) {
    return lanes.leads(rank) ? shares.of_lane(Buffer::output, lanes.lane_of(rank)) : Regions{};
  };
  std::vector<Phase> all;
  if (!lanes.all_lead()) all.push_back(shares.in_groups("gather in nodes", Collective::gather, own, of_group));
  all.push_back(shares.between_nodes("gather between nodes", Collective::allgather, of_group, of_lane));
  all.push_back({.stage = lanes.count() == 1 ? "broadcast in nodes" : "gather lanes in nodes",
                 .groups = &lanes.nodes(),
                 .problem = [=, &problem, &lanes](Count node) -> std::optional<Problem> {
                   if (lanes.count() > 1) return part_of_shares(problem, Collective::allgather, shares.counts_in_node(node));
                   return part_of_vector(problem, Collective::broadcast, lanes.nodes().size(node), shares.bytes_of_lane(0),
                                         lanes.nodes().index_of(lanes.leader(node)));
                 },
                 // The list begins at the rank's own node, so that the programs of equal nodes are the same up to translation.
                 .input =
                     [=, &lanes](Rank rank) {
                       return lanes.leads(rank) ? shares.of_lane(Buffer::output, lanes.lane_of(rank), rank) : Regions{};
                     },
                 .output = [=](Rank rank) { return shares.of_all(Buffer::output, rank); }});
  return all;
}

}  // namespace

Algorithm allgather_hierarchical(Collective collective) {
  return hierarchical<phases>(collective,
                              "each lane of leaders gathers between nodes; the ranks of a node share what the lanes gathered",
                              "Each lane of leaders, one on every node, gathers between the nodes; then the ranks of a node share "
                              "what the lanes got. What belongs to other nodes enters each node once, the least possible.");
}

}  // namespace quadrille

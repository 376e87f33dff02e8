// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/hierarchical, reduce_scatterv/hierarchical: shares are combined inside nodes, then in each lane between nodes.
// Source  [traff2020] reduce-scatter decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   what the parts need: any nodes; lanes <= ranks of the smallest node.
// Idea    allgather/hierarchical backwards: the ranks of each node combine, at each leader, the shares of all ranks in the groups
//         of its lane. Each lane combines and scatters these shares between the nodes. Each leader scatters the shares of its
//         group.
// Cost    The shares of all other nodes leave a node once, the least possible; C1 is the sum of the parts' rounds.
// Prefer  several ranks on a node. One lane for short shares.
#include "collectives/hierarchy/hierarchy.hpp"

namespace quadrille {
namespace {

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters&) {
  const ShareParts shares(problem, lanes);
  const auto own = [&problem](Rank rank) { return Regions{{Buffer::output, 0, output_bytes(problem, rank), {}}}; };
  // The shares of a leader's lane, combined over the ranks of its node. They begin with those of the leader's own group, so that
  // the programs of equal nodes are the same up to translation.
  const auto of_node = [=, &lanes](Rank rank) {
    if (!lanes.leads(rank)) return Regions{};
    if (lanes.nodes().size(lanes.nodes().node_of(rank)) == 1) return shares.of_lane(Buffer::input, lanes.lane_of(rank), rank);
    return Regions{{Buffer::scratch, 0, shares.bytes_of_lane(lanes.lane_of(rank)), {}}};
  };
  // The same shares in the order of the lane's ranks.
  const auto of_lane = [=, &lanes](Rank rank) {
    if (!lanes.leads(rank)) return Regions{};
    if (lanes.nodes().size(lanes.nodes().node_of(rank)) == 1) return shares.of_lane(Buffer::input, lanes.lane_of(rank));
    const Bytes all = shares.bytes_of_lane(lanes.lane_of(rank)), before = shares.bytes_before_group(rank);
    return Regions{{Buffer::scratch, all - before, before, {}}, {Buffer::scratch, 0, all - before, {}}};
  };
  // The shares of a leader's group, combined over all ranks.
  const auto of_group = [=, &lanes](Rank rank) {
    const Count group = lanes.groups().node_of(rank);
    if (!lanes.leads(rank)) return Regions{};
    if (lanes.groups().size(group) == 1) return own(rank);
    return Regions{{Buffer::scratch, shares.bytes_of_lane(lanes.lane_of(rank)), shares.bytes_of_group(group), {}}};
  };
  std::vector<Phase> all{{.stage = "combine in nodes",
                          .groups = &lanes.nodes(),
                          .problem = [=, &problem, &lanes](Count node) -> std::optional<Problem> {
                            if (lanes.count() > 1)
                              return part_of_shares(problem, Collective::reduce_scatter, shares.counts_in_node(node));
                            return part_of_vector(problem, Collective::reduce, lanes.nodes().size(node), shares.bytes_of_lane(0),
                                                  lanes.nodes().index_of(lanes.leader(node)));
                          },
                          .input = [=](Rank rank) { return shares.of_all(Buffer::input, rank); },
                          .output = of_node},
                         shares.between_nodes("combine between nodes", Collective::reduce_scatter, of_lane, of_group)};
  if (!lanes.all_lead()) all.push_back(shares.in_groups("scatter in nodes", Collective::scatter, of_group, own));
  return all;
}

}  // namespace

Algorithm reduce_scatter_hierarchical(Collective collective) {
  return hierarchical<phases>(
      collective, "combine inside nodes, then each lane of leaders combines and scatters its shares between nodes",
      "The ranks of a node combine first, at the leaders; then each lane of leaders combines between the nodes, and leaders hand "
      "out the results. What belongs to other nodes leaves each node once, already combined.");
}

}  // namespace quadrille

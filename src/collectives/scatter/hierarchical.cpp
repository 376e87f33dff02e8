// SPDX-License-Identifier: BSD-3-Clause
// scatter/hierarchical, scatterv/hierarchical, gather/hierarchical, gatherv/hierarchical: shares go from node to node together.
// Source  [traff2020] scatter and gather decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   several nodes, one with several ranks; what the parts need, any root; lanes <= ranks of the smallest node.
// Idea    The root scatters among the leaders of its node: each leader gets the shares of all ranks in its lane's groups. Each
//         lane scatters these shares between the nodes, and each leader scatters the shares of its group. A gather runs these
//         steps backwards.
// Cost    The shares of all other nodes leave the root's node once (or enter it), the least possible; C1 is the sum of
//         the parts' rounds.
// Prefer  several ranks on a node, and short shares: the root sends or receives one message for each node. Use one lane, unless
//         one rank cannot keep the node's link busy.
#include <fmt/format.h>

#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {
namespace {

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters&) {
  const bool gathers = is_gather(problem.collective);
  const Collective collective = gathers ? Collective::gather : Collective::scatter;
  const ShareParts shares(problem, lanes);
  const Rank root = problem.root;
  const Count home = lanes.nodes().node_of(root);
  const Buffer of_root = gathers ? Buffer::output : Buffer::input, of_rank = gathers ? Buffer::input : Buffer::output;
  // Where shares lie: at the root, at the leaders of its node by lane, at the leaders of groups, and at their ranks. A scatter
  // fills these places in this order, a gather in the reverse order.
  const auto at_root = [=](Rank rank) { return rank == root ? shares.of_all(of_root) : Regions{}; };
  const auto by_lane = [=, &lanes](Rank rank) {
    if (!lanes.leads(rank) || lanes.nodes().node_of(rank) != home) return Regions{};
    const Count lane = lanes.lane_of(rank);
    if (rank == root) return shares.of_lane(of_root, lane);
    return Regions{{Buffer::scratch, 0, shares.bytes_of_lane(lane), {}}};
  };
  const auto at_rank = [=, &problem](Rank rank) {
    return Regions{{of_rank, 0, gathers ? input_bytes(problem, rank) : output_bytes(problem, rank), {}}};
  };
  const auto of_group = [=, &lanes](Rank rank) {
    const Count group = lanes.groups().node_of(rank);
    if (!lanes.leads(rank)) return Regions{};
    if (lanes.groups().size(group) == 1) return at_rank(rank);
    if (rank == root) return shares.of_group(of_root, group);
    const Bytes before = lanes.nodes().node_of(rank) == home ? shares.bytes_of_lane(lanes.lane_of(rank)) : 0;
    return Regions{{Buffer::scratch, before, shares.bytes_of_group(group), {}}};
  };
  using Places = std::function<Regions(Rank)>;
  const auto part = [&](Phase made, Places nearer_to_root, Places farther) {
    made.stage = fmt::format("{} {}", name(collective), made.stage);
    made.input = gathers ? std::move(farther) : std::move(nearer_to_root);
    made.output = gathers ? std::move(nearer_to_root) : std::move(farther);
    return made;
  };
  std::vector<Phase> all;
  if (lanes.count() > 1)
    all.push_back(part({.stage = "in the root's node",
                        .groups = &lanes.nodes(),
                        .problem = [=, &problem, &lanes](Count node) -> std::optional<Problem> {
                          if (node != home) return std::nullopt;
                          return part_of_shares(problem, collective, shares.counts_in_node(node), lanes.nodes().index_of(root));
                        }},
                       at_root, by_lane));
  all.push_back(part(shares.between_nodes("between nodes", collective, {}, {}), by_lane, of_group));
  if (!lanes.all_lead()) all.push_back(part(shares.in_groups("in nodes", collective, {}, {}), of_group, at_rank));
  if (gathers) std::reverse(all.begin(), all.end());
  return all;
}

}  // namespace

Algorithm scatter_hierarchical(Collective collective) {
  return hierarchical<phases>(
      collective,
      is_gather(collective)
          ? "leaders gather inside nodes, then each lane of leaders gathers between nodes, to the root"
          : "the root sends each node the shares of all its ranks, by one lane of leaders or more; leaders scatter them",
      is_gather(collective)
          ? "The leaders of each node collect the data of their groups, each lane of leaders brings its part to the root's node, "
            "and there it goes to the root. Each byte enters the root's node once, and several ranks of a node receive at the same "
            "time; with one lane there is one message from each node."
          : "The root hands to the leaders on its own node what goes to other nodes; each lane of leaders carries its part between "
            "the nodes, and leaders deal it out. Each byte leaves the root's node once, and several ranks of a node send at the "
            "same time; with one lane there is one message for each node.");
}

}  // namespace quadrille

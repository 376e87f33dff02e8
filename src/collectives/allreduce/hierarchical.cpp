// SPDX-License-Identifier: BSD-3-Clause
// allreduce/hierarchical: vectors are combined inside nodes, then each lane combines its part between nodes, then the ranks of a
// node exchange all parts.
// Source  [traff2020] allreduce decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   several nodes, one with several ranks; what the parts need; lanes <= ranks of the smallest node.
// Idea    The vector is cut into a part for each lane. The ranks of each node combine each part at its leader, the leaders
//         of a lane combine it between the nodes, and the ranks of each node gather the parts. With one lane this is a
//         reduction to the leader, an allreduce of leaders and a broadcast. With vector=whole every rank leads: it combines
//         the whole vector inside its node, then in its lane.
// Cost    A node sends and receives as many bytes as a rank of the algorithm between nodes for b bytes, for any number of ranks
//         per node; C1 is the sum of the parts' rounds.
// Prefer  several ranks on a node. For short vectors use vector=whole, which takes the fewest rounds, or one lane, which sends
//         the fewest messages. For long vectors use segments=k.
#include <fmt/format.h>

#include "collectives/hierarchy/hierarchy.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Every rank combines the whole vector with the ranks of its node, then with those of its lane.
std::vector<Phase> phases_of_whole(const Problem& problem, const Lanes& lanes) {
  if (!lanes.all_lead())
    throw Error(ErrorCode::misuse,
                fmt::format("with vector=whole every rank has a lane of its own, but there are {} lanes and a node "
                            "of {} ranks",
                            lanes.count(), lanes.nodes().largest()));
  const VectorParts vector(problem, lanes);
  const auto at = [vector](Buffer buffer) { return [=](Rank) { return Regions{vector.whole(buffer)}; }; };
  const auto among = [&problem](const NodeRanks& groups, Count used) {
    return [&problem, &groups, used](Count group) -> std::optional<Problem> {
      if (group >= used) return std::nullopt;
      return part_of_vector(problem, Collective::allreduce, groups.size(group), problem.block_bytes);
    };
  };
  return {{.stage = "combine in nodes",
           .groups = &lanes.nodes(),
           .problem = among(lanes.nodes(), lanes.node_count()),
           .input = at(Buffer::input),
           .output = at(Buffer::scratch)},
          {.stage = "combine between nodes",
           .where = Phase::Where::between,
           .groups = &lanes.lanes(),
           .problem = among(lanes.lanes(), lanes.count()),
           .input = at(Buffer::scratch),
           .output = at(Buffer::output)}};
}

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters& parameters) {
  if (word(parameters, "vector") == "whole") return phases_of_whole(problem, lanes);
  const VectorParts vector(problem, lanes);
  return {vector.combine_in_nodes(),
          vector.between_nodes(
              "combine between nodes", Collective::allreduce, [=](Rank rank) { return vector.of_node(rank); },
              [=](Rank rank) { return vector.held(Buffer::output, rank); }),
          vector.spread_in_nodes()};
}

}  // namespace

extern const Algorithm allreduce_hierarchical = hierarchical<phases>(
    Collective::allreduce, "combine inside nodes, each lane of leaders combines its part between nodes, then nodes share all parts",
    "The vectors of a node are combined inside it, each part at the leader of its lane; the lanes combine between the nodes, and "
    "the ranks of a node share the result. What crosses between nodes does not depend on the number of ranks on a node.");

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// barrier/hierarchical: a barrier in each node, one between leaders, and another one in each node.
// Source  [traff2020] decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   several nodes, one with several ranks; what the parts need; lanes <= ranks of the smallest node.
// Idea    After the first barrier, a leader knows that all ranks of its node have entered. After the barrier of its lane, it
//         knows that all ranks of all nodes have entered. If some ranks are not leaders, another barrier in each node tells them.
// Cost    C1 = ceil(log2 n) rounds between n nodes, and 2 ceil(log2 q) rounds inside nodes of up to q ranks, or half as many if
//         every rank leads.
// Prefer  several ranks on a node, if a round inside takes less than half the time of one between nodes. Use one lane unless
//         messages are cheap.
#include "collectives/hierarchy/hierarchy.hpp"

namespace quadrille {
namespace {

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters&) {
  const auto nothing = [](Rank) { return Regions{}; };
  const auto barrier_of = [&problem](Count ranks) { return part_of_vector(problem, problem.collective, ranks, 0); };
  const auto in_nodes = [=, &lanes](std::string stage) {
    return Phase{.stage = std::move(stage),
                 .groups = &lanes.nodes(),
                 .problem = [=, &lanes](Count node) { return std::optional(barrier_of(lanes.nodes().size(node))); },
                 .input = nothing,
                 .output = nothing};
  };
  std::vector<Phase> all{in_nodes("enter"),
                         {.stage = "between nodes",
                          .where = Phase::Where::between,
                          .groups = &lanes.lanes(),
                          .problem = [=, &lanes](Count lane) -> std::optional<Problem> {
                            if (lane == lanes.count()) return std::nullopt;
                            return barrier_of(lanes.node_count());
                          },
                          .input = nothing,
                          .output = nothing}};
  if (!lanes.all_lead()) all.push_back(in_nodes("leave"));
  return all;
}

}  // namespace

extern const Algorithm barrier_hierarchical = hierarchical<phases>(
    Collective::barrier, "a barrier in each node, one of the leaders, and another one in each node",
    "The ranks of each node meet first, then leaders of different nodes; where not every rank leads, the ranks of a node meet once "
    "more. The rounds between nodes, which are slow, depend on the number of nodes only; those inside nodes are cheap.");

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// scan/hierarchical, exscan/hierarchical: prefixes inside nodes are combined with the totals of the nodes before.
// Source  [traff2020] decomposed by nodes; [sanders2002] for nodes of different sizes.
// Needs   nodes of consecutive ranks, and what the parts need.
// Idea    The ranks of each node compute their prefixes. The last rank of each node then knows its node's total. The last ranks
//         run an exscan of the totals. Its result at a node is the total of the nodes before it. Each last rank broadcasts this
//         result in its node, and every rank combines it with its own prefix.
// Cost    One vector enters and leaves a node in each round between nodes; C1 is the sum of the parts' rounds.
// Prefer  several ranks on a node.
#include "collectives/hierarchy/hierarchy.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

// Scratch memory of a rank: the total of the nodes before its own, then its own node's total (exscan only).
std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters&) {
  const Bytes b = problem.block_bytes;
  const bool is_scan = problem.collective == Collective::scan;
  const Region input = block(Buffer::input, 0, b), output = block(Buffer::output, 0, b), before = block(Buffer::scratch, 0, b);
  const auto is_first = [&lanes](Rank rank) { return lanes.nodes().index_of(rank) == 0; };
  const auto in_first_node = [&lanes](Rank rank) { return lanes.nodes().node_of(rank) == 0; };
  const auto total = [=](Rank rank) { return is_scan ? output : is_first(rank) ? input : block(Buffer::scratch, 1, b); };
  const auto leads = [&lanes](Rank rank) { return lanes.leads(rank); };
  return {{.stage = "prefixes in nodes",
           .groups = &lanes.nodes(),
           .problem = [=, &problem, &lanes](Count node) -> std::optional<Problem> {
             return part_of_vector(problem, problem.collective, lanes.nodes().size(node), b);
           },
           .input = [=](Rank) { return Regions{input}; },
           .output = [=](Rank rank) { return is_scan || !is_first(rank) ? Regions{output} : Regions{}; }},
          {.stage = "prefixes of nodes",
           .where = Phase::Where::between,
           .groups = &lanes.lanes(),
           .problem = [=, &problem, &lanes](Count lane) -> std::optional<Problem> {
             if (lane == lanes.count()) return std::nullopt;
             return part_of_vector(problem, Collective::exscan, lanes.node_count(), b);
           },
           .input = [=](Rank rank) { return leads(rank) ? Regions{total(rank)} : Regions{}; },
           .output = [=](Rank rank) { return leads(rank) && !in_first_node(rank) ? Regions{before} : Regions{}; },
           .before =
               [=](Rank rank) {
                 std::vector<Local> locals;
                 if (is_scan || !leads(rank) || is_first(rank)) return locals;
                 locals.push_back({LocalKind::copy, {}, {output}, {total(rank)}});
                 locals.push_back({LocalKind::reduce, OperandOrder::target_first, {input}, {total(rank)}});
                 return locals;
               }},
          {.stage = "tell the ranks of nodes",
           .groups = &lanes.nodes(),
           .problem = [=, &problem, &lanes](Count node) -> std::optional<Problem> {
             if (node == 0) return std::nullopt;
             return part_of_vector(problem, Collective::broadcast, lanes.nodes().size(node), b,
                                   lanes.nodes().index_of(lanes.leader(node)));
           },
           .input = [=](Rank rank) { return leads(rank) ? Regions{before} : Regions{}; },
           .output = [=](Rank) { return Regions{before}; }},
          {.stage = "combine",
           .groups = &lanes.nodes(),
           .problem = [](Count) { return std::optional<Problem>(); },
           .input = [](Rank) { return Regions{}; },
           .output = [](Rank) { return Regions{}; },
           .before =
               [=](Rank rank) {
                 std::vector<Local> locals;
                 if (in_first_node(rank)) return locals;
                 if (is_scan || !is_first(rank))
                   locals.push_back({LocalKind::reduce, OperandOrder::source_first, {before}, {output}});
                 else
                   locals.push_back({LocalKind::copy, {}, {before}, {output}});
                 return locals;
               }}};
}

}  // namespace

Algorithm scan_hierarchical(Collective collective) {
  Algorithm record = hierarchical<phases>(
      collective, "prefixes inside nodes, prefixes of the nodes' totals, then both combined",
      "Each node computes its own prefixes; then the last ranks of the nodes compute the prefixes of the nodes' totals and tell "
      "their nodes, whose ranks combine both. One vector in each round enters a node, however many ranks it has.",
      "several nodes of consecutive ranks, one with several ranks, and what the parts need");
  record.applies = [](const Problem& problem, const Parameters& parameters) -> Result<> {
    if (auto others = hierarchy_applies(problem, parameters, phases); !others) return others;
    if (!Lanes(problem, 1).nodes_are_consecutive()) return cannot("the ranks of a node are not consecutive");
    return {};
  };
  record.combining_rule = "rank order, if the parts keep it; fixed tree only on two nodes of two ranks or one rank";
  return record;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// alltoall/clustered, alltoallv/clustered: hierarchical factor algorithm, for nodes of any sizes whose ranks share one or a few
// network ports.
// Source  [sanders2002], corrected: mode=paper is as printed; mode=exchange and mode=inter need fewer steps for
//         messages inside nodes.
// Needs   nothing: any counts. If no nodes are known, each rank is a node of its own: the algorithm is then one-factor (with
//         permutations: shift).
// Idea    The complete graph of the nodes is decomposed into matchings or into permutations. In a matching, pairs of nodes
//         exchange. In a permutation, a node sends to one node and receives from another. The exchange has phases. A node is
//         active until all of its ranks have had their turn. In each phase every pair of active nodes meets once. In such a
//         meeting some ranks of the smaller node have their turn. Their number is that of the ranks in the smallest active node
//         that still wait for their turn. In its turn a rank exchanges with all ranks of the larger node, one after the other. So
//         a node sends at most one message to other nodes at a time, and receives at most one. With degree=k it sends and
//         receives up to k. Data goes straight from source to target. A round is a step of the timetable
//         (patterns/node_timetable.hpp), and a stage is a phase of the timetable. Empty messages are left out.
// Cost    p ranks, at most n on a node. mode=paper takes n p steps, mode=exchange at most n p. mode=inter takes n (p - n) steps
//         between nodes, the least possible, with permutations for nodes of any sizes, and with matchings for an even number of
//         equal nodes. About n rounds inside the nodes follow. degree=k divides the steps between nodes by about k. C2 = C1
//         blocks.
// Prefer  mode=inter for medium and long messages if the ranks of a node share the way to the network.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/exchange/direct_exchange.hpp"
#include "patterns/node_timetable.hpp"
#include "problem/node_ranks.hpp"

namespace quadrille {
namespace {

OwnNode own_node(const Parameters& clustered_parameters) {
  const std::string mode = word(clustered_parameters, "mode");
  if (mode == "inter") return OwnNode::apart;
  return mode == "exchange" ? OwnNode::exchanges : OwnNode::sends;
}

bool is_by_permutations(const Parameters& clustered_parameters) {
  return word(clustered_parameters, "decomposition") == "permutations";
}

Decomposition decomposition(const Parameters& clustered_parameters) {
  return {.into = is_by_permutations(clustered_parameters) ? Decomposition::Into::permutations : Decomposition::Into::matchings,
          .form = factor_form(clustered_parameters),
          .degree = number(clustered_parameters, "degree")};
}

// The timetable of the algorithm, made once for all ranks. A node with several adapters is treated as that many nodes.
class ClusteredExchange : public Analysis {
 public:
  ClusteredExchange(const Problem& problem, const Parameters& clustered_parameters)
      : nodes_(NodeRanks(problem).dealt(number(clustered_parameters, "adapters"))),
        own_node_(own_node(clustered_parameters)),
        steps_(nodes_.sizes(), own_node_, decomposition(clustered_parameters)) {
    for (std::size_t t = 0; t < steps_.phases().size(); ++t) {
      const NodePhase& phase = steps_.phases()[t];
      timetable_.stages.push_back({fmt::format("phase {}", t + 1), phase.first_step, phase.end_step() - phase.first_step});
    }
    if (own_node_ == OwnNode::apart) {
      for (Count node = 0; node < nodes_.node_count(); ++node)
        inside_rounds_ = std::max(inside_rounds_, one_factor::factors_with_pairs(nodes_.size(node)));
      timetable_.stages.push_back({"inside nodes", steps_.steps(), inside_rounds_});
    }
    timetable_.slot = [this](Rank from, Rank to) { return slot(from, to); };
  }
  ClusteredExchange(const ClusteredExchange&) = delete;  // the timetable's function refers to this object
  ClusteredExchange& operator=(const ClusteredExchange&) = delete;

  const Timetable& timetable() const { return timetable_; }

 private:
  Count slot(Rank from, Rank to) const {
    const Count U = nodes_.node_of(from), V = nodes_.node_of(to);
    const Count a = nodes_.index_of(from), b = nodes_.index_of(to);
    if (U != V || own_node_ != OwnNode::apart) return steps_.step(U, a, V, b);
    // On a node with an even number of ranks, the copy of a rank to itself belongs to the last factor, which may have no round of
    // its own. Then the copy is done in the last round inside nodes.
    const Count factor = one_factor::factor_of(one_factor::Form::concentrated, nodes_.size(U), a, b);
    return steps_.steps() + std::min(factor, inside_rounds_ - 1);
  }

  NodeRanks nodes_;
  OwnNode own_node_;
  NodeTimetable steps_;
  Count inside_rounds_ = 1;  // at least one, for a rank's copy to itself
  Timetable timetable_;
};

std::vector<Parameter> clustered_parameters(Collective collective) {
  Parameter factor = factor_parameter();
  factor.summary =
      "self-loops of the factorisation of the nodes: spread over the rounds (basic), or for even numbers all in the last";
  factor.standard = "basic";
  factor.standard_for = [](const Problem&, const Parameters& before) -> ParameterValue {
    return word(before, "mode") == "inter" || is_by_permutations(before) ? "concentrated" : "basic";
  };
  factor.standard_rule = "concentrated with mode=inter or decomposition=permutations, which require it, else basic";
  std::vector<Parameter> all{
      {.name = "mode",
       .summary = "messages inside a node: in rounds of their own (inter), or in the same steps (exchange; paper: one by one)",
       .standard = "inter",
       .choices = {"inter", "exchange", "paper"}},
      {.name = "decomposition",
       .summary = "of the graph of nodes: into matchings, whose pairs exchange, or permutations, where a node sends to one "
                  "node and receives from another",
       .standard = "matchings",
       .choices = {"matchings", "permutations"},
       .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
         return {"matchings", "permutations"};
       }},
      std::move(factor),
      {.name = "degree",
       .summary = "for nodes with several network ports that all ranks share: messages that a node sends to other nodes, and "
                  "receives from them, at the same time; needs mode=inter and adapters=1",
       .standard = Count{1},
       .least = 1,
       .most = [](const Problem& problem) { return std::max<Count>(1, NodeRanks(problem).node_count() - 1); },
       .range = "1..max(1,nodes-1)"},
      {.name = "adapters",
       .summary = "network adapters of a node: its ranks are divided among them, and each adapter has one exchange at a time",
       .standard = Count{1},
       .least = 1,
       .most = [](const Problem& problem) { return NodeRanks(problem).largest(); },
       .range = "1..ranks of the largest node"}};
  if (!is_irregular(collective)) all.push_back(exchange_segments_parameter());
  return all;
}

Program generate_clustered(const Problem& problem, const Parameters& clustered_parameters, const Analysis* analysis, Rank me) {
  const auto exchange = [&](const Problem& part) {
    return exchange_by_timetable(part, static_cast<const ClusteredExchange&>(*analysis).timetable(), me);
  };
  return is_irregular(problem.collective) ? exchange(problem) : exchange_in_segments(problem, clustered_parameters, exchange);
}

Result<> clustered_applies(const Problem&, const Parameters& clustered_parameters) {
  const bool is_inter = word(clustered_parameters, "mode") == "inter", is_basic = word(clustered_parameters, "factor") == "basic";
  if (is_basic && is_by_permutations(clustered_parameters))
    return cannot("decomposition=permutations has all self-loops in one factor and therefore needs factor=concentrated");
  if (is_basic && is_inter)
    return cannot("mode=inter needs factor=concentrated, in which the messages inside nodes have rounds of their own");
  if (number(clustered_parameters, "degree") > 1 && !is_inter)
    return cannot("a degree above 1 needs mode=inter, in which the messages inside nodes have rounds of their own");
  if (number(clustered_parameters, "degree") > 1 && number(clustered_parameters, "adapters") > 1)
    return cannot("a degree above 1 needs adapters=1, because an adapter has one exchange at a time");
  return {};
}

std::shared_ptr<const Analysis> analyse_clustered(const Problem& problem, const Parameters& clustered_parameters) {
  return std::make_shared<ClusteredExchange>(problem, clustered_parameters);
}

Count clustered_ports(const Problem& problem, const Parameters& clustered_parameters) {
  if (number(clustered_parameters, "degree") == 1) return 1;
  return NodeTimetable::processor_ports(NodeRanks(problem).sizes(), decomposition(clustered_parameters));
}

Count node_ports(const Problem&, const Parameters& clustered_parameters) {
  return number(clustered_parameters, "adapters") * number(clustered_parameters, "degree");
}

}  // namespace

Algorithm alltoall_clustered(Collective collective) {
  return {
      .collective = collective,
      .id = "clustered",
      .summary =
          "exchange by pairs of nodes: a node of any size sends one message to other nodes at a time, or one on each of its ports",
      .picture =
          "Watch the ranks of a node: in each step only one of them sends to the other node, so nobody else uses the node's way to "
          "the network. All data goes straight to its target. Messages inside nodes have rounds of their own, because they do not "
          "need the network.",
      .source = "sanders2002, section 3",
      .parameters = clustered_parameters(collective),
      .generate = generate_clustered,
      .applies = clustered_applies,
      .analyse = analyse_clustered,
      .needs_own_counts_only = is_irregular(collective),
      .ports = clustered_ports,
      .node_ports = node_ports,
  };
}

}  // namespace quadrille

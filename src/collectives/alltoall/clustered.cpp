// SPDX-License-Identifier: BSD-3-Clause
// alltoall/clustered: hierarchical factor algorithm, for nodes of any sizes whose ranks share one or a few network
// ports.
// Source  [sanders2002], corrected: mode=paper is as printed; mode=exchange and mode=inter need fewer steps for
//         messages inside nodes.
// Needs   nothing. If no nodes are known, each rank is a node of its own: the algorithm is then one-factor, or with
//         permutations shift.
// Idea    The complete graph of the nodes is decomposed into matchings or into permutations. In a matching, pairs of
//         nodes exchange. In a permutation, a node sends to one node and receives from another. The exchange has
//         phases. A node is active until all of its ranks have had their turn. In each phase every pair of active nodes
//         meets once. In such a meeting some ranks of the smaller node have their turn, as many as the smallest active
//         node has left. In its turn a rank exchanges with all ranks of the larger node, one after the other. So a node
//         sends at most one message to other nodes at a time, and receives at most one. With degree=k it sends and
//         receives up to k.
// Cost    p ranks, n on the largest node. mode=paper takes n p steps, mode=exchange at most n p. mode=inter takes
//         n (p - n) steps between nodes, the least possible: with matchings only for an even number of equal nodes,
//         with permutations for nodes of any sizes. About n rounds inside the nodes follow. degree=k divides the steps
//         between nodes by about k. C2 = C1 blocks.
// Prefer  mode=inter for medium and long messages if the ranks of a node share the way to the network.
#include "collectives/exchange/clustered.hpp"

#include "collectives/exchange/segmented_exchange.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return exchange_in_segments(problem, parameters,
                              [&](const Problem& part) { return clustered_exchange(part, parameters, analysis, me); });
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> all = clustered_parameters();
  all.push_back(exchange_segments_parameter());
  return all;
}

}  // namespace

extern const Algorithm alltoall_clustered{
    .collective = Collective::alltoall,
    .id = "clustered",
    .summary =
        "exchange by pairs of nodes: a node of any size sends one message to other nodes at a time, or one on each of its ports",
    .source = "sanders2002, section 3",
    .parameters = parameters(),
    .generate = generate,
    .applies = clustered_applies,
    .analyse = analyse_clustered,
    .ports = clustered_ports,
    .node_ports = clustered_node_ports,
};

}  // namespace quadrille

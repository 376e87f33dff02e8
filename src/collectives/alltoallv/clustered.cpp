// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/clustered: hierarchical factor algorithm, for nodes of any sizes whose ranks share one network port, or a few.
// Source  [sanders2002], corrected: mode=paper as printed; exchange and inter waste fewer steps on what stays inside nodes.
// Needs   nothing: any sizes; where no nodes are known, each rank is one.
// Idea    The complete graph of the nodes is decomposed into matchings, whose pairs exchange, or into permutations, where a node
//         sends to one node and receives from another. The exchange has phases. In each phase some ranks of the smaller node of a
//         pair, as many as the smallest active node has left, exchange one after the other with all ranks of the larger node.
//         So a node sends at most one message to other nodes at a time, and receives at most one. With degree=k it is k of each.
// Cost    p ranks, n on the largest node. mode=paper takes n p steps, mode=exchange at most n p. mode=inter takes n (p - n) steps
//         between nodes, the least possible, for an even number of equal nodes, and by permutations for nodes of any sizes; then
//         about n rounds inside the nodes. With degree=k there are about 1/k as many steps between nodes.
//         Empty messages are left out.
// Prefer  mode=inter, for medium and long messages where the ranks of a node share one way to the network.
#include "collectives/clustered.hpp"

namespace quadrille {

extern const Algorithm alltoallv_clustered{
    .collective = Collective::alltoallv,
    .id = "clustered",
    .summary =
        "node by node: each node sends as many messages to others at a time as it has ports (one, or more), whatever its size",
    .source = "sanders2002, section 3",
    .parameters = clustered_parameters(),
    .generate = clustered_exchange,
    .applies = clustered_applies,
    .analyse = analyse_clustered,
    .needs_own_counts_only = true,
    .ports = clustered_ports,
    .node_ports = clustered_node_ports,
};

}  // namespace quadrille

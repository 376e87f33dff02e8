// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/clustered: hierarchical factor algorithm, for nodes of any sizes whose ranks share one network port, or a few.
// Source  [sanders2002], corrected: mode=paper as printed; exchange and inter waste fewer steps on what stays inside nodes.
// Needs   nothing: any sizes; where no nodes are known, each rank is one.
// Idea    The nodes meet in the factors of a decomposition of their graph, into matchings or permutations, in phases: in each the
//         smaller node of a pair lets as many ranks go as the smallest active node has left, one after the other, each to all
//         ranks of the larger node. So a node sends one message to other nodes at a time and receives one, or `degree` of each.
// Cost    p ranks, n on the largest node: paper n p steps, exchange at most so many; inter n (p - n) for an even number of
//         equal nodes and for all nodes by permutations, the least possible, and about as many rounds more as a node has ranks;
//         a degree of k divides that by about k. Empty messages are left out.
// Prefer  mode=inter, for medium and long messages where the ranks of a node share one way to the network.
#include "collectives/clustered.hpp"

namespace quadrille {

extern const Algorithm alltoallv_clustered{
    .collective = Collective::alltoallv,
    .id = "clustered",
    .summary =
        "node by node: each node sends as many messages to others at a time as it has ports (one, or more), whatever its size",
    .needs = "",
    .source = "sanders2002, section 3",
    .parameters = clustered_parameters(),
    .generate = clustered_exchange,
    .reason_against = reason_against_clustered,
    .analyse = analyse_clustered,
    .needs_own_counts_only = true,
    .ports = clustered_ports,
    .node_ports = clustered_node_ports,
};

}  // namespace quadrille

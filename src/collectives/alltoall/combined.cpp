// SPDX-License-Identifier: BSD-3-Clause
// alltoall/combined: one message in each direction for each pair of nodes; leaders gather and scatter the blocks inside
// their nodes.
// Source  [sanders2002], the factor algorithm applied to whole nodes; alternating leaders are our addition.
// Needs   nothing. If no nodes are known, each rank is a node of its own and the algorithm is one-factor.
// Idea    The nodes meet in the rounds of a 1-factorisation. In each meeting two nodes exchange all blocks that the
//         ranks of one node have for the ranks of the other. The ranks of a node take turns as its leader. Before the
//         meetings each leader receives the blocks for its rounds from the other ranks of its node, and after the
//         meetings it distributes the blocks that arrived.
// Cost    N nodes of n ranks: C1 = N + 1 rounds (N odd: N + 2). C2 = n^2 (N - 1) blocks between nodes and about 2 N
//         blocks inside nodes. A leader needs scratch memory for the blocks that it forwards.
// Prefer  short messages if the ranks of a node share the way to the network: there are n^2 times fewer start-ups.
#include "collectives/exchange/combined.hpp"

namespace quadrille {

extern const Algorithm alltoall_combined{
    .collective = Collective::alltoall,
    .id = "combined",
    .summary = "one message each way for each pair of nodes; leaders, in turn, gather and scatter the blocks inside a node",
    .source = "sanders2002",
    .parameters = {leaders_parameter()},
    .generate = combined_exchange,
    .analyse = analyse_combined,
    .ports = combined_ports,
    .node_ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

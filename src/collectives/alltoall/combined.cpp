// SPDX-License-Identifier: BSD-3-Clause
// alltoall/combined: one message in each direction for each pair of nodes; leaders gather and scatter the blocks inside
// the nodes.
// Source  [sanders2002], the factor algorithm applied to whole nodes; alternating leaders are our addition.
// Needs   nothing. If no nodes are known, each rank is a node of its own and the algorithm is one-factor.
// Idea    The nodes meet in the rounds of a 1-factorisation. In each meeting they exchange everything that the ranks of
//         one node have for the ranks of the other. The ranks of a node take turns as its leader: the leader of a round
//         receives the blocks beforehand and distributes afterwards what has arrived.
// Cost    N nodes of n ranks: C1 = N + 1 rounds (N odd: N + 2), C2 = n^2 (N - 1) blocks between nodes, about 2 N
//         inside. A leader needs scratch memory for the blocks that it forwards.
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

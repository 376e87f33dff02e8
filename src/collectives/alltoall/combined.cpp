// SPDX-License-Identifier: BSD-3-Clause
// alltoall/combined: one message for each pair of nodes, gathered and scattered inside them.
// Source  [sanders2002], the factor algorithm on whole nodes; leaders in turn are our addition.
// Needs   nothing; where no nodes are known, each rank is one and it is one-factor.
// Idea    The nodes meet in the rounds of a 1-factorisation, and each meeting is one exchange of all that the ranks of the one have
//         for those of the other. The ranks of a node lead in turn: who leads in a round is given the blocks beforehand, and
//         gives out afterwards what has come.
// Cost    N nodes of n ranks: C1 = N + 1 rounds (N odd: N + 2), C2 = n^2 (N - 1) blocks between nodes, about 2 N inside; a leader
//         holds in scratch memory what it passes on.
// Prefer  short messages where the ranks of a node share one way to the network: start-ups drop by n^2.
#include "collectives/combined.hpp"

namespace quadrille {

extern const Algorithm alltoall_combined{
    .collective = Collective::alltoall,
    .id = "combined",
    .summary = "one message for each pair of nodes, gathered and scattered inside the nodes by leaders that take turns",
    .source = "sanders2002",
    .parameters = {leaders_parameter()},
    .generate = combined_exchange,
    .analyse = analyse_combined,
    .ports = combined_ports,
    .node_ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/combined: one message for each pair of nodes, gathered and scattered inside them.
// Source  [sanders2002], the factor algorithm on whole nodes; leaders in turn are our addition.
// Needs   nothing: any sizes; where no nodes are known, each rank is one.
// Idea    The nodes meet in the rounds of a 1-factorisation, and each meeting is one exchange of all that the ranks of the one have
//         for those of the other. The ranks of a node lead in turn: who leads in a round is given the blocks beforehand, and
//         gives out afterwards what has come. Leaders are told the sizes of what they pass on, or know them.
// Cost    N nodes of n ranks: C1 = N + 1 rounds (N odd: N + 2), at most; a leader holds in scratch
//         memory what it passes on.
// Prefer  short messages where the ranks of a node share one way to the network: start-ups drop by n^2.
#include "collectives/combined.hpp"

namespace quadrille {

extern const Algorithm alltoallv_combined{
    .collective = Collective::alltoallv,
    .id = "combined",
    .summary = "one message for each pair of nodes, gathered and scattered inside the nodes by leaders that take turns",
    .source = "sanders2002",
    .parameters =
        {leaders_parameter(),
         {.name = "counts",
          .summary = "how leaders know the sizes of what they pass on: told ahead of each message, or known from a run before with "
                     "the same counts",
          .standard = "headers",
          .choices = {"headers", "known"},
          .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
            return {"known", "headers"};
          }}},
    .generate = combined_exchange,
    .analyse = analyse_combined,
    .ports = combined_ports,
    .node_ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/combined: one message in each direction for each pair of nodes; leaders gather and scatter the data inside
// their nodes.
// Source  [sanders2002], the factor algorithm applied to whole nodes; alternating leaders are our addition.
// Needs   nothing: any counts. If no nodes are known, each rank is a node of its own.
// Idea    The nodes meet in the rounds of a 1-factorisation. In each meeting two nodes exchange all data that the ranks
//         of one node have for the ranks of the other. The ranks of a node take turns as its leader. Before the
//         meetings each leader receives the data for its rounds from the other ranks of its node, and after the
//         meetings it distributes the data that arrived. Leaders learn the sizes of the data that they forward from
//         headers, or know them already.
// Cost    N nodes of n ranks: at most C1 = N + 1 rounds (N odd: N + 2). A leader needs scratch memory for the data that
//         it forwards.
// Prefer  short messages if the ranks of a node share the way to the network: there are n^2 times fewer start-ups.
#include "collectives/exchange/combined.hpp"

namespace quadrille {

extern const Algorithm alltoallv_combined{
    .collective = Collective::alltoallv,
    .id = "combined",
    .summary = "one message each way for each pair of nodes; leaders, in turn, gather and scatter the data inside a node",
    .source = "sanders2002",
    .parameters = {leaders_parameter(),
                   {.name = "counts",
                    .summary =
                        "how leaders know the sizes of the data that they forward: from headers, or known from an earlier run with "
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

// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/shift: one partner at a time, at distance 1, 2, .. (A1 of the source).
// Source  [liu2002], algorithm A1; MPICH and Open MPI call it pairwise.
// Needs   nothing: any counts.
// Idea    In round d - 1, d = 1 .. p-1, rank i sends to i + d and receives from i - d. Empty messages are left out.
// Cost    C1 <= p - 1 rounds; C2 is the sum over distances of the longest message, between L and (p-1) times the
//         longest, where L is the most that a rank sends or receives.
// Prefer  balanced counts, and long messages: each byte travels once.
#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/saying.hpp"

namespace quadrille {

extern const Algorithm alltoallv_shift{
    .collective = Collective::alltoallv,
    .id = "shift",
    .summary = "pairwise: send to i+d, receive from i-d, one distance d per round",
    .picture =
        "Each round is one diagonal of the matrix of the traffic. A round lasts as long as its longest message: with uneven counts "
        "most ranks wait for the one that has the most to send. The algorithms that deal data out first are there to avoid this.",
    .source = "liu2002, algorithm A1",
    .says =
        [](const Problem&, const Parameters&, Count round) {
          return fmt::format("Every rank sends what it has for the rank {} further straight to it", round + 1);
        },
    .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                   Rank me) { return exchange_by_distance(problem, 1, me); },
    .needs_own_counts_only = true,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

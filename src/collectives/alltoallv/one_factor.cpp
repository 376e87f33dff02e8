// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/one-factor: pairwise exchange for any p; each rank exchanges with one partner in each round.
// Source  [sanders2002] section 2, for machines without nodes; the timetable does not depend on the counts.
// Needs   nothing: any counts.
// Idea    Round i is factor i of a 1-factorisation of the complete graph with self-loops, as in alltoall/one-factor.
//         Empty messages are left out.
// Cost    C1 <= p rounds, p - 1 for even p; C2 is the sum over the rounds of the longest message. Each byte travels
//         once.
// Prefer  balanced counts, or counts that are about equal in both directions, on links that carry both directions at
//         once.
#include "collectives/exchange/one_factor_exchange.hpp"

namespace quadrille {

extern const Algorithm alltoallv_one_factor{
    .collective = Collective::alltoallv,
    .id = "one-factor",
    .summary = "pairwise for any p: in round i rank u exchanges with (i - u) mod p",
    .source = "sanders2002, section 2",
    .parameters = {factor_parameter()},
    .generate = one_factor_exchange,
    .needs_own_counts_only = true,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

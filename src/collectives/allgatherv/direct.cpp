// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/direct: everybody's share straight to everybody, all at once.
// Source  [grama2003] all-to-all broadcast; the staggered order is that of MPI libraries' linear algorithms.
// Needs   nothing: any sizes.
// Idea    One round holds all p - 1 messages. Rank i names its partners i+1, i+2, .., so that no rank is everybody's first
//         target.
// Cost    C1 = 1 round on p - 1 ports; each rank sends its share p - 1 times and receives each other share once.
// Prefer  few ranks, or a network that takes many messages at once.
#include "collectives/gathering.hpp"

namespace quadrille {

extern const Algorithm allgatherv_direct{
    .collective = Collective::allgatherv,
    .id = "direct",
    .summary = "everybody's share straight to everybody, all at once, staggered",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return gather_directly(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
};

}  // namespace quadrille

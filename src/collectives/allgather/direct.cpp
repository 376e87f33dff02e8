// SPDX-License-Identifier: BSD-3-Clause
// allgather/direct: everybody's block straight to everybody, all at once.
// Source  [grama2003] all-to-all broadcast; the staggered order is that of MPI libraries' linear algorithms.
// Needs   nothing.
// Idea    One round holds all p - 1 messages. Rank i names its partners i+1, i+2, .., so that no rank is everybody's first
//         target.
// Cost    C1 = 1 round on p - 1 ports; each rank sends its block p - 1 times and receives each other block once.
// Prefer  few ranks, or a network that takes many messages at once.
#include "collectives/gathering.hpp"

namespace quadrille {

extern const Algorithm allgather_direct{
    .collective = Collective::allgather,
    .id = "direct",
    .summary = "everybody's block straight to everybody, all at once, staggered",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return gather_directly(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
};

}  // namespace quadrille

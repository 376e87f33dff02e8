// SPDX-License-Identifier: BSD-3-Clause
// allgather/circulant: as recursive doubling, for any number of ranks, along skips that halve p.
// Source  [traff2024] all-gather as the reverse of the reduce-scatter.
// Needs   nothing.
// Idea    Skips 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2). Before round k a rank holds the blocks of s_k ranks
//         from its own upwards, and gets those of the next s_{k+1} - s_k from the rank s_k above.
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port.
// Prefer  any p on one port, whole blocks.
#include "collectives/gathering.hpp"

namespace quadrille {

extern const Algorithm allgather_circulant{
    .collective = Collective::allgather,
    .id = "circulant",
    .summary = "double what you hold along skips that halve p: least rounds and volume on one port",
    .source = "traff2024",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return gather_by_skips(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

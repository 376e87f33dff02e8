// SPDX-License-Identifier: BSD-3-Clause
// allgather/circulant: like recursive doubling, but for any number of ranks: the distances are skips that halve p.
// Source  [traff2024] all-gather as the reverse of the reduce-scatter.
// Needs   nothing.
// Idea    The skips are 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2). Before round k a rank holds the
//         blocks of s_k ranks, beginning with its own and going upwards. In the round it receives the blocks of the
//         next s_{k+1} - s_k ranks from the rank s_k above.
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port.
// Prefer  any p on one port, with whole blocks.
#include "collectives/spreading/gathering.hpp"

namespace quadrille {

extern const Algorithm allgather_circulant{
    .collective = Collective::allgather,
    .id = "circulant",
    .summary =
        "each round doubles the blocks held, over distances that halve p: the fewest rounds and the smallest volume on one port",
    .source = "traff2024",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return gather_by_skips(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

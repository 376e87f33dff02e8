// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/circulant: like recursive doubling, but for any number of ranks: the distances are skips that halve p.
// Source  [traff2024] all-gather as the reverse of the reduce-scatter.
// Needs   nothing: any p, shares of any size, which may be empty.
// Idea    The skips are 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2). Before round k a rank holds the
//         shares of s_k ranks, beginning with its own and going upwards. In the round it receives the shares of the
//         next s_{k+1} - s_k ranks from the rank s_k above.
// Cost    C1 = ceil(log2 p) rounds; C2 is the sum over the rounds of the largest s_{k+1} - s_k consecutive shares.
// Prefer  shares of similar size on one port.
#include "collectives/spreading/gathering.hpp"

namespace quadrille {

extern const Algorithm allgatherv_circulant{
    .collective = Collective::allgatherv,
    .id = "circulant",
    .summary = "each round doubles the shares held, over distances that halve p: the fewest rounds on one port",
    .source = "traff2024",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return gather_by_skips(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/recursive-doubling: a rank exchanges all shares that it has with one partner, at twice the distance in
// each round.
// Source  [grama2003] all-to-all broadcast on a hypercube.
// Needs   p a power of two; shares of any size, which may be empty.
// Idea    Before the exchange with i ^ m, m = 1, 2, 4, .., rank i has m shares: those of the ranks that differ from i
//         only in the bits below m. These shares are contiguous in memory. With first=far the order of partners is
//         reversed: a rank then has shares at equal distances in rank, and sends most data to the nearest partner.
// Cost    C1 = log2 p rounds; C2 is the sum over the rounds of the largest m shares that one rank sends.
// Prefer  p a power of two and shares of similar size, on links that carry both directions at once.
#include "collectives/spreading/gathering.hpp"

namespace quadrille {

extern const Algorithm allgatherv_recursive_doubling{
    .collective = Collective::allgatherv,
    .id = "recursive-doubling",
    .summary = "exchange all shares held with i ^ 1, i ^ 2, i ^ 4, .., or in reverse order",
    .needs = "p a power of two",
    .source = "grama2003",
    .parameters = {doubling_order()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis* analysis,
                   Rank me) { return gather_by_doubling(problem, parameters, shares(analysis), me); },
    .applies = has_power_of_two_ranks,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

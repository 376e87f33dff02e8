// SPDX-License-Identifier: BSD-3-Clause
// allgather/recursive-doubling: a rank exchanges all blocks that it has with one partner, at twice the distance in
// each round.
// Source  [grama2003] all-to-all broadcast on a hypercube.
// Needs   p a power of two.
// Idea    Before the exchange with i ^ m, m = 1, 2, 4, .., rank i has m blocks: those of the ranks that differ from i
//         only in the bits below m. These blocks are contiguous in memory. With first=far the order of partners is
//         reversed: a rank then has blocks at equal distances in rank, and sends most data to the nearest partner.
// Cost    C1 = log2 p rounds, C2 = p - 1 blocks: both the least possible on one port.
// Prefer  p a power of two, on links that carry both directions at once.
#include "collectives/spreading/gathering.hpp"

namespace quadrille {

extern const Algorithm allgather_recursive_doubling{
    .collective = Collective::allgather,
    .id = "recursive-doubling",
    .summary = "exchange all blocks held with i ^ 1, i ^ 2, i ^ 4, .., or in reverse order",
    .needs = "p a power of two",
    .source = "grama2003",
    .parameters = {doubling_order()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis* analysis,
                   Rank me) { return gather_by_doubling(problem, parameters, shares(analysis), me); },
    .applies = has_power_of_two_ranks,
    .analyse = Shares::analyse,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(exclusive_or_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/recursive-halving: exchange half of what you are responsible for, and combine the other half.
// Source  [grama2003] all-to-all reduction on a hypercube; in MPI libraries since Rabenseifner's reductions.
// Needs   p a power of two; with far partners first an operator that commutes.
// Idea    Partners i ^ m send each other what the other one's half of the ranks is to get. With m = 1, 2, 4, .. operands meet in
//         the order of ranks, and what is sent is every other block of what is left; with m = p/2, p/4, .. it is one run of memory.
// Cost    C1 = log2 p rounds; C2 = p - 1 blocks: both the least possible on one port.
// Prefer  powers of two, on links that carry both directions at once.
#include "collectives/gathering.hpp"
#include "collectives/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_recursive_halving{
    .collective = Collective::reduce_scatter,
    .id = "recursive-halving",
    .summary = "exchange half of what you are responsible for and combine the other half",
    .needs = "p a power of two",
    .source = "grama2003",
    .parameters = {halving_order()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis* analysis,
                   Rank me) { return reduce_scatter_by_halving(problem, parameters, shares(analysis), me); },
    .applies = has_power_of_two_ranks,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = combining_of_halving,
    .combining_rule = combining_rule_of_halving,
};

}  // namespace quadrille

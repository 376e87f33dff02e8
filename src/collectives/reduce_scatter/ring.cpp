// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/ring: every block goes once around, combined on its way.
// Source  [grama2003] all-to-all reduction on a ring, the reverse of the all-to-all broadcast.
// Needs   an operator that commutes; any p.
// Idea    Block i starts at i - 1 and goes to the left; everybody on its way adds their own. What arrives is combined where
//         it lies, in one of two places that take turns, and passed on from there.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks: the least volume on one port.
// Prefer  large blocks and few ranks: messages go to neighbours only, and every one is a single run of memory.
#include "collectives/folding.hpp"
#include "collectives/gathering.hpp"
#include "schedule/reduction.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_ring{
    .collective = Collective::reduce_scatter,
    .id = "ring",
    .summary = "every block goes once around, to the left, and is combined on its way",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return reduced(gather_along_ring(problem, shares(analysis), me)); },
    .analyse = Shares::analyse,
    .symmetry = translation_of_any_order,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
};

}  // namespace quadrille

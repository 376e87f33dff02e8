// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/direct: every rank sends its operand of each block straight to the block's owner, all in one round.
// Source  [grama2003] all-to-all reduction, the naive way.
// Needs   nothing: any p, any operator, also along the fixed tree.
// Idea    One round holds all p - 1 messages, in the order i+1, i+2, .., so that no rank is the first target of all
//         others. The owner combines the operands in its own memory, starting with neighbouring ranks. The first
//         operand of another rank, in the order of combining, is received into the output.
// Cost    C1 = 1 round on p - 1 ports; each rank sends and receives p - 1 blocks, and keeps p - 2 in scratch memory.
// Prefer  few ranks or small blocks on a network that takes many messages at once; results that must be reproducible.
#include "collectives/reducing/folding.hpp"
#include "collectives/reducing/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_direct{
    .collective = Collective::reduce_scatter,
    .id = "direct",
    .summary = "every operand straight to its block's owner, which combines them; all at once, in staggered order",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return reduce_scatter_directly(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
    .symmetry = translation_of_any_order,
    .combining = as_asked_for,
    .combining_rule = as_asked_for_rule,
};

}  // namespace quadrille

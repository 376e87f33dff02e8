// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatterv/direct: every rank's part of a share straight to its owner, all at once.
// Source  [grama2003] all-to-all reduction, the naive way.
// Needs   nothing: any p, shares of any size, also of none, any operator, also along the fixed tree.
// Idea    One round holds all p - 1 messages, to i+1, i+2, .., so that no rank is everybody's first target. The owner combines
//         them in its own memory, neighbours first, the first of them in the output.
// Cost    C1 = 1 round on p - 1 ports; each rank sends and receives p - 1 shares, and keeps p - 2 in scratch memory.
// Prefer  few ranks or small shares on a network that takes many messages at once; results that are reproducible.
#include "collectives/folding.hpp"
#include "collectives/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatterv_direct{
    .collective = Collective::reduce_scatterv,
    .id = "direct",
    .summary = "every share's parts straight to its owner, all at once, staggered, and combined there",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return reduce_scatter_directly(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
    .combining = as_asked_for,
    .combining_rule = as_asked_for_rule,
};

}  // namespace quadrille

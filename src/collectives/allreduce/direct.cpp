// SPDX-License-Identifier: BSD-3-Clause
// allreduce/direct: everybody's vector straight to everybody, all at once.
// Source  [grama2003] all-to-all broadcast of what is to be reduced, the naive way.
// Needs   nothing: any p, any operator, also along the fixed tree.
// Idea    One round holds all p - 1 messages, to i+1, i+2, .., so that no rank is everybody's first target. Every rank combines all
//         vectors, neighbours first, those of the first in the output.
// Cost    C1 = 1 round on p - 1 ports; each rank sends and receives p - 1 vectors, and keeps p - 2 in scratch memory.
// Prefer  few ranks and short vectors on a network that takes many messages at once.
#include "collectives/folding.hpp"

namespace quadrille {

extern const Algorithm allreduce_direct{
    .collective = Collective::allreduce,
    .id = "direct",
    .summary = "everybody's vector straight to everybody, all at once, staggered, and combined everywhere",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                   Rank me) { return folded_directly(problem, problem.ranks - 1, 0, me); },
    .combining = always_fixed_tree,
    .combining_rule = always_fixed_tree_rule,
};

}  // namespace quadrille

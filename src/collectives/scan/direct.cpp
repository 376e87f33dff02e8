// SPDX-License-Identifier: BSD-3-Clause
// scan/direct: everybody's vector straight to all ranks above.
// Source  [grama2003] prefix sums, the naive way.
// Needs   nothing: any p, any operator, also along the fixed tree.
// Idea    One round holds all messages, to i+1, i+2, .. in that order. Every rank combines what comes with its own along the fixed
//         tree, neighbours first, those of the first in the output.
// Cost    C1 = 1 round on p - 1 ports; rank 0 sends and rank p - 1 receives p - 1 vectors.
// Prefer  few ranks and short vectors on a network that takes many messages at once.
#include "collectives/folding.hpp"

namespace quadrille {

extern const Algorithm scan_direct{
    .collective = Collective::scan,
    .id = "direct",
    .summary = "everybody's vector straight to all ranks above, which combine them",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                   Rank me) { return folded_directly(problem, me, me + 1, me); },
    .combining = always_fixed_tree,
    .combining_rule = always_fixed_tree_rule,
};

}  // namespace quadrille

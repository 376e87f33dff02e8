// SPDX-License-Identifier: BSD-3-Clause
// reduce/tree: a pipeline of segments up a tree in which every rank has the same number of children.
// Source  [grama2003] all-to-one reduction; the binary, chain and pipeline reductions of Open MPI.
// Needs   an operator that commutes, if p > 2; 1 <= fan-out <= max(1, p - 1), 1 <= segments <= max(1, elements of the vector).
// Idea    broadcast/tree backwards: a rank combines the vectors of its children with its own and sends the result to its parent.
// Cost    C1 = depth + segments - 1 rounds of b / segments bytes on `fan-out` ports; the depth is about log p / log fan-out. With
//         fan-out 1 the tree is a chain.
// Prefer  long vectors among many ranks, if a rank can receive two messages at once.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

extern const Algorithm reduce_tree{
    .collective = Collective::reduce,
    .id = "tree",
    .summary = "a pipeline of segments up a tree in which every rank has the same number of children",
    .picture =
        "Segments of the vectors flow up a tree in which every rank has two children by default, and each rank combines both with "
        "its own. While one segment is combined, the next arrives: that is for long vectors among many ranks. Here the vector is "
        "short, so there is one segment.",
    .source = "grama2003",
    .parameters = full_tree_parameters(),
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return reduced(broadcast_by_full_tree(problem, parameters, "combine", me)); },
    .ports = full_tree_ports,
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
};

}  // namespace quadrille

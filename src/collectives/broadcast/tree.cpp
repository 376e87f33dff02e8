// SPDX-License-Identifier: BSD-3-Clause
// broadcast/tree: a pipeline of segments down a tree in which every rank has the same number of children.
// Source  [grama2003] pipelined broadcast, on a tree instead of a linear array; the binary trees of Open MPI.
// Needs   nothing: any p, any root, 1 <= fan-out <= max(1, p - 1), 1 <= segments <= max(1, elements of the vector).
// Idea    Level i of the tree has fan-out^i ranks. While a rank receives a segment, it sends the previous one to all its children.
// Cost    C1 = depth + segments - 1 rounds of b / segments bytes on `fan-out` ports; the depth is about log p / log fan-out. With
//         fan-out 1 the tree is the chain.
// Prefer  long vectors among many ranks, if a rank can send two messages at once.
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

extern const Algorithm broadcast_tree{
    .collective = Collective::broadcast,
    .id = "tree",
    .summary = "a pipeline of segments down a tree in which every rank has the same number of children",
    .picture =
        "Segments of the vector flow down a tree in which every rank has two children by default: a rank receives one segment "
        "while it sends the previous one to both. The tree is flatter than a chain, so the pipe fills sooner, but a rank sends "
        "twice as much as it receives. Here the vector is short, so there is one segment.",
    .source = "grama2003",
    .parameters = full_tree_parameters(),
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return broadcast_by_full_tree(problem, parameters, "pass along", me); },
    .ports = full_tree_ports,
};

}  // namespace quadrille

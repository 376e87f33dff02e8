// SPDX-License-Identifier: BSD-3-Clause
// allreduce/direct: every rank sends its vector straight to all others, all in one round.
// Source  [grama2003] all-to-all broadcast of the operands, the naive way.
// Needs   nothing: any p, any operator; keeps to the fixed tree if required.
// Idea    One round holds all p - 1 messages, in the order i+1, i+2, .., so that no rank is the first target of all
//         others. Every rank combines all vectors along the fixed tree, starting with neighbouring ranks. The vector
//         from the lowest other rank is received into the output.
// Cost    C1 = 1 round on p - 1 ports; each rank sends and receives p - 1 vectors, and keeps p - 2 in scratch memory.
// Prefer  few ranks and short vectors on a network that takes many messages at once.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"

namespace quadrille {

extern const Algorithm allreduce_direct{
    .collective = Collective::allreduce,
    .id = "direct",
    .summary = "every rank's vector straight to all others, all at once, in staggered order; every rank combines all of them",
    .picture =
        "Every rank sends its vector to all others in one round and combines all vectors by itself: the same work is done p times. "
        "It is the fewest rounds, and all ranks combine in the same order; for long vectors or many ranks it moves too much.",
    .source = "grama2003",
    .says = [](const Problem& problem, const Parameters&, Count) { return says_straight_to_all(problem, "its vector"); },
    .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                   Rank me) { return folded_directly(problem, problem.ranks - 1, 0, me); },
    .combining = always_fixed_tree,
    .combining_rule = always_fixed_tree_rule,
    .tried_between_nodes = [](const Problem& whole) -> std::vector<std::string_view> {
      if (required_combining(whole) == Combining::any_order) return {};  // other algorithms send less
      return {""};
    },
};

}  // namespace quadrille

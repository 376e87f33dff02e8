// SPDX-License-Identifier: BSD-3-Clause
// reduce/bine: vectors are combined up a tree like the binomial tree, but with children about a third nearer.
// Source  [desensi2025] distance-halving Bine trees.
// Needs   any p, any root; an operator that commutes, except for two roots.
// Idea    broadcast/bine backwards. The ranks of a subtree are consecutive (mod p). If a subtree wraps around from rank p - 1 to
//         rank 0, operands are not combined in the order of ranks. A subtree wraps around for all roots except two: about p/3 and
//         5p/6 if ceil(log2 p) is odd, p/6 and 2p/3 if it is even.
// Cost    C1 = d = ceil(log2 p) rounds, the fewest on one port; C2 = d vectors.
// Prefer  short vectors on networks of groups with few links between them, with ranks in the order of the groups. For long ones
//         reduce-scatter-gather with scatter=bine.
#include "patterns/bine.hpp"
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"
#include "patterns/integers.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

Combining bine_combining(const Problem& problem, const Parameters& parameters) {
  if (!bine_halves_are_in_order(problem.ranks, problem.root)) return any_order_of_more_than_two(problem, parameters);
  return is_power_of_two(problem.ranks) ? Combining::fixed_tree : Combining::rank_order;
}

}  // namespace

extern const Algorithm reduce_bine{
    .collective = Collective::reduce,
    .id = "bine",
    .summary = "combine up a tree whose children are about a third nearer than in the binomial tree",
    .picture =
        "Vectors flow up a tree with as many rounds as the binomial one, but its edges have the lengths 1, 1, 3, 5, .. instead of "
        "1, 2, 4, 8, .. So fewer messages leave a group of neighbouring ranks, which matters where few links join the groups.",
    .source = "desensi2025",
    .generate =
        [](const Problem& problem, const Parameters&, const Analysis*, Rank me) {
          const TreePosition position = position_in_bine_tree(problem.ranks, problem.root, "combine", me);
          return reduced(broadcast_by_tree(position, problem.block_bytes, me));
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = bine_combining,
    .combining_rule =
        "any order; with the two roots whose halves do not wrap around, rank order, or fixed tree if p is a power of two",
};

}  // namespace quadrille

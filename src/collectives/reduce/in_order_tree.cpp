// SPDX-License-Identifier: BSD-3-Clause
// reduce/in-order-tree: vectors are combined up a binary tree in the order of ranks.
// Source  [pjesivac2007] the in-order binary tree of Open MPI.
// Needs   nothing: any p, any root, any operator.
// Idea    In the tree over a run of ranks, the last rank is the top. The other ranks are cut into two runs, and the tops of these
//         runs are its children. So a rank combines the results of two neighbouring runs and its own vector, in the order of
//         ranks. Rank p - 1 forwards the result to the root of the reduction.
// Cost    C1 = floor(log2 p) rounds on 2 ports, and C2 = C1 vectors. Unless the root is p - 1, there is one more round and one
//         more vector.
// Prefer  an operator that does not commute, if a rank can receive two messages at once.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"
#include "patterns/trees.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

Program generate_in_order_tree(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const TreePosition position = position_in_in_order_tree(problem.ranks, "combine", me);
  return forwarded_to_root(problem, reduced(broadcast_by_tree(position, problem.block_bytes, me)), problem.ranks - 1);
}

Combining in_order_tree_combining(const Problem& problem, const Parameters&) {
  return problem.ranks <= 2 || problem.ranks == 4 ? Combining::fixed_tree : Combining::rank_order;
}

}  // namespace

extern const Algorithm reduce_in_order_tree{
    .collective = Collective::reduce,
    .id = "in-order-tree",
    .summary = "combine up a binary tree whose runs are in the order of ranks",
    .picture =
        "Operands are combined in the order of the ranks, so the operator need not commute; a rank may receive from both children "
        "in one round. The tree ends at the last rank: in the last round rank 7 hands the result to the root.",
    .source = "pjesivac2007",
    .generate = generate_in_order_tree,
    .ports = [](const Problem&, const Parameters&) { return Count{2}; },
    .combining = in_order_tree_combining,
    .combining_rule = "rank order; fixed tree if p <= 2 or p = 4",
};

}  // namespace quadrille

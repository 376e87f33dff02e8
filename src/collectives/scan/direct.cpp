// SPDX-License-Identifier: BSD-3-Clause
// scan/direct, exscan/direct: every rank sends its vector straight to all higher ranks.
// Source  [grama2003] prefix sums, the naive way.
// Needs   nothing: any p, any operator; keeps to the fixed tree if required.
// Idea    One round holds all messages, in the order i+1, i+2, .. Every rank combines the vectors that it receives along the
//         fixed tree, starting with neighbouring ranks. A scan also combines the rank's own vector. The vector of rank 0 is
//         received into the output.
// Cost    C1 = 1 round on p - 1 ports; rank 0 sends and rank p - 1 receives p - 1 vectors.
// Prefer  few ranks and short vectors on a network that takes many messages at once.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"

namespace quadrille {

Algorithm scan_direct(Collective collective) {
  return {
      .collective = collective,
      .id = "direct",
      .summary = "every rank's vector straight to all higher ranks, which combine what they receive",
      .picture =
          "Every rank sends its vector to all ranks above it in one round: the matrix of the traffic is a triangle. The last rank "
          "receives p - 1 vectors and combines them all, while the first receives none: it is for few ranks and short vectors.",
      .source = "grama2003",
      .says =
          [](const Problem& problem, const Parameters&, Count) {
            return "Each rank sends its vector to all ranks above: " + counted(problem.ranks * (problem.ranks - 1) / 2, "message");
          },
      .generate =
          [](const Problem& problem, const Parameters&, const Analysis*, Rank me) {
            return folded_directly(problem, problem.collective == Collective::scan ? me : me - 1, me + 1, me);
          },
      .combining = always_fixed_tree,
      .combining_rule = always_fixed_tree_rule,
      .tried_between_nodes = with_defaults,
  };
}

}  // namespace quadrille

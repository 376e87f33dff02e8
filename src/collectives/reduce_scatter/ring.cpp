// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/ring, reduce_scatterv/ring: every block goes once around a ring and is combined on its way.
// Source  [grama2003] all-to-all reduction on a ring, the reverse of the all-to-all broadcast.
// Needs   an operator that commutes; any p, shares of any size, which may be empty.
// Idea    Block i starts at rank i - 1 and goes to the left; every rank on the way combines its own operand with the block.
//         Rounds use two areas alternately: a rank receives a block into an area, combines its operand there, and sends the block
//         on from there.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks, the smallest volume on one port; with shares, p - 1 times the largest.
// Prefer  large blocks of similar size and few ranks: messages go to neighbours only, and each is contiguous in memory.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

Algorithm reduce_scatter_ring(Collective collective) {
  return {
      .collective = collective,
      .id = "ring",
      .summary = "every " + share_word(collective) + " goes once around a ring, to the left, and is combined on its way",
      .picture =
          "Watch what rank 0 shall get: it starts at rank 7, passes all other ranks on its way to the left, and each combines its "
          "operand with it; the colour shows how many operands it has. All messages go to neighbours and the volume is the least "
          "possible, in p - 1 rounds.",
      .picture_problem = "--topology ring:8 --block 64B",
      .source = "grama2003",
      .says =
          [](const Problem& problem, const Parameters&, Count) {
            return fmt::format(
                "Every rank sends its partial result for {} to the rank 1 back, which combines its own operand with it",
                counted_shares(problem, 1));
          },
      .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                     Rank me) { return reduced(gather_along_ring(problem, shares(analysis), me)); },
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : translation_of_any_order,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = any_order_of_more_than_two,
      .combining_rule = any_order_of_more_than_two_rule,
      .tried_between_nodes = with_defaults,
      .tried_with_shares = with_defaults,
  };
}

}  // namespace quadrille

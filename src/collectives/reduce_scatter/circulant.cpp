// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/circulant, reduce_scatterv/circulant: like recursive halving, but for any number of ranks: each distance is half
// of the one before, rounded up.
// Source  [traff2024] the reduce-scatter on circulant graphs.
// Needs   an operator that commutes; any p, shares of any size, which may be empty.
// Idea    The skips are 1 = s_0 < s_1 < .. < s_d = p, s_k = ceil(s_(k+1) / 2). In round k = d-1 .. 0, rank i sends its
//         partial results for the ranks i + s_k .. i + s_(k+1) - 1 (mod p) to rank i + s_k. From rank i - s_k it
//         receives partial results for itself and for the ranks directly above it, and combines them with its own.
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port. With shares C2 is the sum over the
//         rounds of the most bytes in s_(k+1) - s_k consecutive shares.
// Prefer  any p on one port.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

Algorithm reduce_scatter_circulant(Collective collective) {
  return {
      .collective = collective,
      .id = "circulant",
      .summary = is_irregular(collective)
                     ? "each round halves the shares in work, over distances that halve p: the fewest rounds on one port"
                     : "each round halves the blocks in work, over distances that halve p: the fewest rounds and smallest volume "
                       "on one port",
      .picture =
          "In each round a rank hands about half of its unfinished results to the rank a skip above and combines what comes from "
          "the rank a skip below. It does for any number of ranks what recursive halving does for powers of two.",
      .source = "traff2024",
      .says =
          [](const Problem& problem, const Parameters&, Count round) {
            return says_skip(problem.ranks, ceil_log2(problem.ranks) - 1 - round, true, share_word(problem.collective));
          },
      .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                     Rank me) { return reduced(gather_by_skips(problem, shares(analysis), me)); },
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

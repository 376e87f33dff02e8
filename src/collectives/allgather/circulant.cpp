// SPDX-License-Identifier: BSD-3-Clause
// allgather/circulant, allgatherv/circulant: like recursive doubling, but for any number of ranks: each distance is half of the
// next one, rounded up.
// Source  [traff2024] all-gather as the reverse of the reduce-scatter.
// Needs   nothing: any p, shares of any size, which may be empty.
// Idea    The skips are 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2). Before round k a rank holds the
//         blocks of s_k ranks, beginning with its own and going upwards. In the round it receives the next s_{k+1} - s_k blocks
//         from the rank whose number is larger by s_k (mod p).
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port. With shares C2 is the sum over the
//         rounds of the most bytes in s_{k+1} - s_k consecutive shares.
// Prefer  any p on one port, with blocks of similar size.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

Algorithm allgather_circulant(Collective collective) {
  return {
      .collective = collective,
      .id = "circulant",
      .summary = "each round doubles the " + share_word(collective) + "s held, over distances that halve p: the fewest rounds" +
                 (is_irregular(collective) ? "" : " and the smallest volume") + " on one port",
      .picture =
          "What a rank holds about doubles in each round, for any number of ranks: the last round only sends what is still "
          "missing. With equal blocks both the rounds and the volume are the least possible on one port.",
      .source = "traff2024",
      .says = [](const Problem& problem, const Parameters&,
                 Count round) { return says_skip(problem.ranks, round, false, share_word(problem.collective)); },
      .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                     Rank me) { return gather_by_skips(problem, shares(analysis), me); },
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : translation,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .tried_between_nodes = with_defaults,
      .tried_with_shares = with_defaults,
  };
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// allgather/ring, allgatherv/ring: each rank passes the blocks that it receives from the left on to the right.
// Source  [grama2003] all-to-all broadcast on a ring.
// Needs   nothing: any p, shares of any size, which may be empty.
// Idea    In round s = 0 .. p-2 rank i passes the block of rank i - s on to i + 1. Every link carries one block per
//         round.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks, the smallest volume on one port; with shares, p - 1 times the largest.
// Prefer  large blocks of similar size and few ranks: messages go to neighbours only, and each is contiguous in memory.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

Algorithm allgather_ring(Collective collective) {
  return {
      .collective = collective,
      .id = "ring",
      .summary = "pass on to the right neighbour what was received from the left",
      .picture =
          "What a rank has just received, it passes on to the right. All links are busy in every round and no rank gets anything "
          "twice, so long data moves as fast as possible; there are p - 1 rounds, and a slow rank delays them all.",
      .picture_problem = "--topology ring:8 --block 64B",
      .source = "grama2003",
      .says =
          [](const Problem& problem, const Parameters&, Count round) {
            return fmt::format("Every rank sends {} to the rank 1 further: {}", counted_shares(problem, 1),
                               round == 0 ? "its own" : "the one that it got last");
          },
      .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                     Rank me) { return gather_along_ring(problem, shares(analysis), me); },
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : translation,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .tried_between_nodes = with_defaults,
      .tried_with_shares = with_defaults,
  };
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// allgather/direct, allgatherv/direct: every rank sends its block straight to all others, all in one round.
// Source  [grama2003] all-to-all broadcast; the staggered order is that of the linear algorithms of MPI libraries.
// Needs   nothing: any sizes.
// Idea    One round holds all p - 1 messages. Rank i lists its partners as i+1, i+2, .., so that no rank is the first
//         target of all others.
// Cost    C1 = 1 round on p - 1 ports; each rank sends its block p - 1 times and receives each other block once.
// Prefer  few ranks, or a network that takes many messages at once.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

Algorithm allgather_direct(Collective collective) {
  return {
      .collective = collective,
      .id = "direct",
      .summary = "every rank's " + share_word(collective) + " straight to all others, all at once, in staggered order",
      .picture =
          "All messages leave in one round, and each rank's own data appears everywhere at once. It is the fewest rounds, but a "
          "rank starts p - 1 messages with the same data, all of which leave by its own link.",
      .source = "grama2003",
      .says = [](const Problem& problem, const Parameters&,
                 Count) { return says_straight_to_all(problem, counted_shares(problem, 1)); },
      .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                     Rank me) { return gather_directly(problem, shares(analysis), me); },
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : translation,
      .tried_between_nodes = with_defaults,
      .tried_with_shares = with_defaults,
  };
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// alltoall/one-factor, alltoallv/one-factor: pairwise exchange for any p; each rank exchanges with one partner in each round.
// Source  [sanders2002] section 2, for machines without nodes; the timetable does not depend on the counts.
// Needs   nothing: any counts.
// Idea    Round i is factor i of a 1-factorisation of the complete graph with self-loops: in the basic form rank u
//         meets (i - u) mod p. The concentrated form puts all self-loops of an even p into one factor, which then needs
//         no round. Empty messages are left out.
// Cost    basic: C1 = p rounds (p = 2: 1), although a rank has only p - 1 blocks to send; concentrated: C1 = p - 1 for
//         even p. C2 = C1 blocks; with counts, the sum over the rounds of the longest message. Each byte travels once.
// Prefer  p not a power of two, on links that carry both directions at once; large blocks, or counts that are about equal in both
//         directions.
#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/saying.hpp"

namespace quadrille {

// No symmetry is stated: a map f of the ranks that preserves rounds has f(u) + f(v) = u + v (mod p) for all u and v. So f is the
// identity or, for even p, adds p / 2 to every rank. Adding p / 2 would only halve the number of programs to be made.
Algorithm alltoall_one_factor(Collective collective) {
  return {
      .collective = collective,
      .id = "one-factor",
      .summary = "pairwise for any p: in round i rank u exchanges with (i - u) mod p",
      .picture =
          "In each round the ranks form pairs, and the two of a pair exchange, so the traffic of a round is its own mirror image. "
          "It is the timetable of a tournament in which each team meets each other team once; it exists for any number of ranks, "
          "where xor needs a power of two.",
      .source = "sanders2002, section 2",
      .parameters = {factor_parameter()},
      .says =
          [](const Problem&, const Parameters&, Count) {
            return std::string(
                "The ranks meet in pairs, each with another one in every round, and swap what they have for each other");
          },
      .generate = one_factor_exchange,
      .needs_own_counts_only = is_irregular(collective),
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

}  // namespace quadrille

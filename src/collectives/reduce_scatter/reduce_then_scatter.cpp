// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/reduce-then-scatter, reduce_scatterv/reduce-then-scatter: rank 0 combines all vectors and scatters the result.
// Source  [thakur2005] names it as the earlier method of MPI libraries.
// Needs   what its two parts need. The default parts take any p, any operator, shares of any size, and the fixed tree.
// Idea    An algorithm for reduce runs first, then an algorithm for scatter(v). Open MPI does the same, with its own choice of
//         algorithm for each part.
// Cost    By default C1 = 2 ceil(log2 p) rounds and C2 = p ceil(log2 p) + p - 1 blocks.
// Prefer  never; a baseline: circulant has half the rounds and a volume of p - 1 blocks.
#include "collectives/shares.hpp"
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {

Algorithm reduce_scatter_reduce_then_scatter(Collective collective) {
  return rooted_record(
      collective, "reduce-then-scatter",
      "combine all vectors at rank 0, then scatter the " + share_word(collective) + "s, by default both along a binomial tree",
      "Whole vectors flow up a tree to rank 0, then shares flow down it: look at the ranks that wait most of the time. There "
      "are twice the rounds that are needed, and whole vectors travel although each rank shall only get a share; it is here to "
      "be compared with.",
      "thakur2005");
}

}  // namespace quadrille

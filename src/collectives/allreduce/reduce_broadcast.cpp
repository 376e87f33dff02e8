// SPDX-License-Identifier: BSD-3-Clause
// allreduce/reduce-broadcast: vectors are combined at rank 0, then the result is broadcast.
// Source  [grama2003] all-reduce, "identical to all-to-one reduction followed by a one-to-all broadcast".
// Needs   what its two parts need. The default parts take any p and any operator, and can keep to the fixed tree.
// Idea    An algorithm for reduce runs first, then an algorithm for broadcast. Rank 0 combines the vectors in its output and
//         broadcasts the result from there. Open MPI does the same, with its own choice of algorithm for each part.
// Cost    By default C1 = 2 ceil(log2 p) rounds and C2 = 2 ceil(log2 p) vectors: twice those of recursive-doubling if p is a
//         power of two.
// Prefer  never; a baseline: recursive-doubling takes half the time if p is a power of two.
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {

Algorithm allreduce_reduce_broadcast(Collective collective) {
  return rooted_record(
      collective, "reduce-broadcast",
      "combine all vectors at rank 0, then broadcast the result, by default both along a binomial tree",
      "The vectors flow up a tree to rank 0, and the result flows down again. Half of the time the lower ranks only wait; "
      "recursive doubling, where all ranks combine all the time, takes half the rounds if p is a power of two. It is here to be "
      "compared with.",
      "grama2003");
}

}  // namespace quadrille

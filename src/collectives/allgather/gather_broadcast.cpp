// SPDX-License-Identifier: BSD-3-Clause
// allgather/gather-broadcast, allgatherv/gather-broadcast: all blocks are collected at rank 0, then broadcast.
// Source  [bruck1997] section 4, the folklore algorithm with which the concatenation algorithm is compared.
// Needs   what its two parts need. The default parts take any p and shares of any size, which may be empty.
// Idea    An algorithm for gather(v) runs first, then an algorithm for broadcast. By default both use a binomial tree. Rank 0
//         gathers the blocks in its output and broadcasts them from there. Open MPI does the same, with its own choice of
//         algorithm for each part.
// Cost    By default C1 = 2 ceil(log2 p) rounds, C2 = p - 1 + p ceil(log2 p) blocks.
// Prefer  never; a baseline: circulant has half the rounds and a volume of p - 1 blocks.
#include "collectives/shares.hpp"
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {

Algorithm allgather_gather_broadcast(Collective collective) {
  return rooted_record(
      collective, "gather-broadcast",
      "collect all " + share_word(collective) +
          "s at rank 0, then broadcast them, by default both along a binomial tree: the folklore algorithm",
      "Everything first flows up a tree to rank 0 and then down again: look at the ranks that wait most of the time. There are "
      "twice the rounds that are needed, and rank 0 sends everything again and again; it is here to be compared with.",
      "bruck1997, section 4");
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// broadcast/binomial: every rank that has the vector sends it to another rank in each round, so the number of ranks that have the
// vector doubles.
// Source  [grama2003] one-to-all broadcast; if p is not a power of two, ranks are numbered mod p from the root.
// Needs   nothing: any p, any root.
// Idea    A binomial tree from the root. The messages over the longest distances come first. If p is a power of two, partners are
//         XORs of the rank, so that messages share no link on a hypercube, a ring or a linear array.
// Cost    C1 = d = ceil(log2 p) rounds, the fewest on one port; C2 = d blocks.
// Prefer  short vectors.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

extern const Algorithm broadcast_binomial{
    .collective = Collective::broadcast,
    .id = "binomial",
    .summary = "every rank that has the vector passes it on: the fewest rounds",
    .picture =
        "Every rank that has the vector passes it on, so the number of ranks that have it doubles: 1, 2, 4, 8. No algorithm has "
        "fewer rounds on one port. But the whole vector travels in every round, so long vectors need another way.",
    .source = "grama2003",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          const Count level = ceil_log2(problem.ranks) - 1 - round, senders = senders_at_level(problem.ranks, level);
          return fmt::format("The ranks that have the vector pass it on, each to the first rank of half of its subtree: {}",
                             counted(senders, "message"));
        },
    .generate =
        [](const Problem& problem, const Parameters&, const Analysis*, Rank me) {
          const BinomialTree tree(problem.ranks, problem.root);
          return broadcast_by_tree(position_of(tree, "broadcast", me), problem.block_bytes, me);
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .tried_between_nodes = with_defaults,
};

}  // namespace quadrille

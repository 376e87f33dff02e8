// SPDX-License-Identifier: BSD-3-Clause
// broadcast/bine: like the binomial tree, but with children about a third nearer.
// Source  [desensi2025] distance-halving Bine trees; for p that is not a power of two, our own generalisation.
// Needs   nothing: any p, any root.
// Idea    A rank that has the vector is responsible for a run of consecutive ranks (mod p), and lies at a third or at two thirds
//         of this run. In each round it keeps the half in which it lies, and sends the vector to the rank at a third or two
//         thirds of the other half. In a binomial tree both ranks lie at the beginning of their halves. If p is a power of two,
//         the distances are 1, 1, 3, 5, 11, .., the sums of powers of -2, and not 1, 2, 4, 8, 16, ..
// Cost    C1 = d = ceil(log2 p) rounds, the fewest on one port; C2 = d blocks.
// Prefer  short vectors on networks of groups with few links between them, with ranks in the order of the groups. For long ones
//         scatter-allgather with gather=bine.
#include "patterns/bine.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

extern const Algorithm broadcast_bine{
    .collective = Collective::broadcast,
    .id = "bine",
    .summary = "every rank that has the vector passes it on, to ranks about a third nearer than in the binomial tree",
    .picture =
        "The tree has as many rounds as the binomial one, but its edges have the lengths .., 5, 3, 1, 1 instead of .., 8, 4, 2, "
        "1, the longest first. So fewer messages leave a group of neighbouring ranks, which matters where few links join the "
        "groups.",
    .source = "desensi2025",
    .generate =
        [](const Problem& problem, const Parameters&, const Analysis*, Rank me) {
          return broadcast_by_tree(position_in_bine_tree(problem.ranks, problem.root, "broadcast", me), problem.block_bytes, me);
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

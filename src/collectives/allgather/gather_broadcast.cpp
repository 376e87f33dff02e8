// SPDX-License-Identifier: BSD-3-Clause
// allgather/gather-broadcast: all blocks collected at rank 0 up a binomial tree, then handed down the same tree.
// Source  [bruck1997] section 4, the folklore algorithm that the concatenation algorithm is measured against.
// Needs   nothing: any p.
// Idea    gather/binomial, then broadcast/binomial of everything, joined: rank 0 gathers in its output and broadcasts from there.
// Cost    C1 = 2 ceil(log2 p) rounds, C2 = p - 1 + p ceil(log2 p) blocks.
// Prefer  never; a baseline: circulant takes half the rounds and p - 1 blocks.
#include "collectives/two_parts.hpp"

namespace quadrille {

extern const Algorithm allgather_gather_broadcast{
    .collective = Collective::allgather,
    .id = "gather-broadcast",
    .summary = "collect all blocks at rank 0, then broadcast them, both along a binomial tree: the folklore algorithm",
    .source = "bruck1997, section 4",
    .generate = joined_at_the_beginning,
    .analyse = [](const Problem& problem,
                  const Parameters&) { return then_broadcast(problem, Collective::gather, problem.ranks * problem.block_bytes); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// allgather/gather-broadcast: all blocks are collected at rank 0 up a binomial tree, then broadcast down the same tree.
// Source  [bruck1997] section 4, the folklore algorithm with which the concatenation algorithm is compared.
// Needs   nothing: any p.
// Idea    gather/binomial, then broadcast/binomial of all blocks. Rank 0 gathers the blocks in its output and
//         broadcasts them from there.
// Cost    C1 = 2 ceil(log2 p) rounds, C2 = p - 1 + p ceil(log2 p) blocks.
// Prefer  never; a baseline: circulant has half the rounds and a volume of p - 1 blocks.
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {
namespace {

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&) {
  return then_broadcast(problem, Collective::gather, problem.ranks * problem.block_bytes);
}

}  // namespace

extern const Algorithm allgather_gather_broadcast{
    .collective = Collective::allgather,
    .id = "gather-broadcast",
    .summary = "collect all blocks at rank 0, then broadcast them, both along a binomial tree: the folklore algorithm",
    .source = "bruck1997, section 4",
    .generate = joined_at_the_beginning,
    .analyse = analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

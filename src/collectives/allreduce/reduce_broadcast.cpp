// SPDX-License-Identifier: BSD-3-Clause
// allreduce/reduce-broadcast: vectors are combined at rank 0, then the result is broadcast.
// Source  [grama2003] all-reduce, "identical to all-to-one reduction followed by a one-to-all broadcast".
// Needs   nothing: any p, any operator, also along the fixed tree.
// Idea    reduce/binomial, then broadcast/binomial. Rank 0 combines the vectors in its output and broadcasts the result
//         from there.
// Cost    C1 = 2 ceil(log2 p) rounds and C2 = 2 ceil(log2 p) vectors: twice those of recursive-doubling if p is a power
//         of two.
// Prefer  never; a baseline: recursive-doubling takes half the time if p is a power of two.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {
namespace {

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&) {
  return then_broadcast(problem, Collective::reduce, problem.block_bytes);
}

}  // namespace

extern const Algorithm allreduce_reduce_broadcast{
    .collective = Collective::allreduce,
    .id = "reduce-broadcast",
    .summary = "combine all vectors at rank 0, then broadcast the result, both along a binomial tree",
    .source = "grama2003",
    .generate = joined_at_the_beginning,
    .analyse = analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = always_fixed_tree,
    .combining_rule = always_fixed_tree_rule,
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// allreduce/reduce-broadcast: vectors combined at rank 0, then the result broadcast.
// Source  [grama2003] all-reduce, "identical to all-to-one reduction followed by a one-to-all broadcast".
// Needs   nothing: any p, any operator, also along the fixed tree.
// Idea    reduce/binomial, then broadcast/binomial, joined: rank 0 combines in its output and broadcasts from there.
// Cost    C1 = 2 ceil(log2 p) rounds and as many vectors: twice those of recursive-doubling where p is a power of two.
// Prefer  never; a baseline: recursive-doubling takes half the time where p is a power of two.
#include "collectives/folding.hpp"
#include "collectives/two_parts.hpp"

namespace quadrille {

extern const Algorithm allreduce_reduce_broadcast{
    .collective = Collective::allreduce,
    .id = "reduce-broadcast",
    .summary = "combine everything at rank 0, then broadcast the result, both along a binomial tree",
    .source = "grama2003",
    .generate = joined_at_the_beginning,
    .analyse = [](const Problem& problem,
                  const Parameters&) { return then_broadcast(problem, Collective::reduce, problem.block_bytes); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = always_fixed_tree,
    .combining_rule = always_fixed_tree_rule,
};

}  // namespace quadrille

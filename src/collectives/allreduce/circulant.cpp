// SPDX-License-Identifier: BSD-3-Clause
// allreduce/circulant: shares of the vector are combined over distances that halve p again and again, and gathered over the same
// distances.
// Source  [traff2024] allreduce as reduce-scatter and all-gather on circulant graphs.
// Needs   an operator that commutes; any p.
// Idea    reduce-scatter-allgather with the circulant algorithm for both parts.
// Cost    C1 = 2 ceil(log2 p) rounds; C2 = 2 b (p - 1) / p bytes if p divides the vector: the smallest volume on one
//         port.
// Prefer  long vectors, for any p.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {

extern const Algorithm allreduce_circulant{
    .collective = Collective::allreduce,
    .id = "circulant",
    .summary =
        "combine shares of the vector over distances that halve p, then gather them likewise: the smallest volume on one port",
    .picture =
        "In the first half each round combines about half as many shares as the one before, in the second half the shares spread "
        "in the reverse order. It has the least volume on one port in 2 log2 p rounds, rounded up, for any number of ranks, where "
        "halving needs a power of two.",
    .source = "traff2024",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          const Count rounds = ceil_log2(problem.ranks);
          return round < rounds ? says_skip(problem.ranks, rounds - 1 - round, true, "share")
                                : says_skip(problem.ranks, round - rounds - 1, false, "finished share");
        },
    .generate = joined_at_the_share,
    .analyse =
        [](const Problem& problem, const Parameters&) {
          return parts_by_shares(problem, Collective::reduce_scatterv, "circulant", Collective::allgatherv, "circulant");
        },
    .cuts_blocks = true,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
    .tried_between_nodes = with_defaults,
};

}  // namespace quadrille

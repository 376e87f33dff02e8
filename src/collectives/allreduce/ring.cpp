// SPDX-License-Identifier: BSD-3-Clause
// allreduce/ring: every piece of the vector goes around twice, combined the first time.
// Source  [patarasuk2009] the ring allreduce, whose bandwidth is optimal.
// Needs   an operator that commutes; any p.
// Idea    reduce-scatter-allgather with both parts along the ring.
// Cost    C1 = 2 (p - 1) rounds; C2 = 2 b (p - 1) / p bytes where p divides the vector: the least volume on one port.
// Prefer  long vectors and few ranks: messages go to neighbours only, and every one is a single run of memory.
#include "collectives/folding.hpp"
#include "collectives/two_parts.hpp"

namespace quadrille {

extern const Algorithm allreduce_ring{
    .collective = Collective::allreduce,
    .id = "ring",
    .summary = "every piece goes around twice, combined the first time",
    .source = "patarasuk2009",
    .generate = joined_at_the_piece,
    .analyse =
        [](const Problem& problem, const Parameters&) {
          return parts_of_pieces(problem, Collective::reduce_scatterv, "ring", Collective::allgatherv, "ring");
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
};

}  // namespace quadrille

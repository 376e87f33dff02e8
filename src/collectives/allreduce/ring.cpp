// SPDX-License-Identifier: BSD-3-Clause
// allreduce/ring: every share of the vector goes around the ring twice, first to be combined, then to reach all ranks.
// Source  [patarasuk2009] the ring allreduce, whose bandwidth is optimal.
// Needs   an operator that commutes; any p.
// Idea    reduce-scatter-allgather with the ring algorithm for both parts.
// Cost    C1 = 2 (p - 1) rounds; C2 = 2 b (p - 1) / p bytes if p divides the vector: the smallest volume on one port.
// Prefer  long vectors and few ranks: messages go to neighbours only, and each is contiguous in memory.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {

extern const Algorithm allreduce_ring{
    .collective = Collective::allreduce,
    .id = "ring",
    .summary = "every share of the vector goes around a ring twice and is combined the first time",
    .picture =
        "Each share of the vector goes around the ring twice: first it is combined with each rank's own, and the colour shows how "
        "many operands it has; then the finished share spreads. The volume is the least possible on one port and all messages go "
        "to neighbours, but there are 2 (p - 1) rounds.",
    .picture_problem = "--topology ring:8 --block 64B",
    .source = "patarasuk2009",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          if (round < problem.ranks - 1)
            return std::string("Every rank sends 1 share to the rank 1 back, which combines its own operand with it");
          return std::string("Every rank passes 1 finished share on to the rank 1 further");
        },
    .generate = joined_at_the_share,
    .analyse =
        [](const Problem& problem, const Parameters&) {
          return parts_by_shares(problem, Collective::reduce_scatterv, "ring", Collective::allgatherv, "ring");
        },
    .cuts_blocks = true,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
    .tried_between_nodes = with_defaults,
};

}  // namespace quadrille

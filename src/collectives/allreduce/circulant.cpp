// SPDX-License-Identifier: BSD-3-Clause
// allreduce/circulant: combine pieces along skips that halve p, and gather them back along the same skips.
// Source  [traff2024] allreduce as reduce-scatter and all-gather on circulant graphs.
// Needs   an operator that commutes; any p.
// Idea    reduce-scatter-allgather with both parts along the skips.
// Cost    C1 = 2 ceil(log2 p) rounds; C2 = 2 b (p - 1) / p bytes where p divides the vector: the least volume on one port.
// Prefer  long vectors, for any p.
#include "collectives/folding.hpp"
#include "collectives/two_parts.hpp"

namespace quadrille {

extern const Algorithm allreduce_circulant{
    .collective = Collective::allreduce,
    .id = "circulant",
    .summary = "combine pieces along skips that halve p, gather them along the same: the least volume on one port",
    .source = "traff2024",
    .generate = joined_at_the_piece,
    .analyse =
        [](const Problem& problem, const Parameters&) {
          return parts_of_pieces(problem, Collective::reduce_scatterv, "circulant", Collective::allgatherv, "circulant");
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
};

}  // namespace quadrille

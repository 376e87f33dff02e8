// SPDX-License-Identifier: BSD-3-Clause
// broadcast/scatter-allgather: the vector is cut into a share for each rank; the root scatters the shares, then all
// ranks gather them.
// Source  [grama2003] improving the performance of operations; van de Geijn's broadcast in MPI libraries.
// Needs   nothing: any p, any root; shares differ by a byte if p does not divide b.
// Idea    scatterv/binomial, then an algorithm for allgatherv. Between these two algorithms, a rank's share lies at its final
//         place in the output.
// Cost    C1 = 2 ceil(log2 p) rounds by default, ceil(log2 p) + p - 1 with the ring; C2 = 2 b (p - 1) / p bytes if p
//         divides b.
// Prefer  long vectors.
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {

extern const Algorithm broadcast_scatter_allgather{
    .collective = Collective::broadcast,
    .id = "scatter-allgather",
    .summary = "scatter a share of the vector to each rank, then gather the shares at all ranks",
    .picture =
        "First each rank gets its share of the vector down a tree, then all ranks gather the shares from each other. No rank "
        "sends as much as two vectors in all, or receives as much, however many ranks there are, where a binomial tree sends the "
        "whole vector in every round: it is the way for long vectors.",
    .needs = "what the gather needs",
    .source = "grama2003",
    .parameters = {gather_part()},
    .generate = joined_at_the_share,
    .applies = gather_applies,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return parts_by_shares(problem, Collective::scatterv, "binomial", Collective::allgatherv, word(parameters, "gather"));
        },
    .cuts_blocks = true,
    .ports =
        [](const Problem& problem, const Parameters& parameters) {
          const Problem by_shares = problem_of_shares(problem, Collective::allgatherv);
          return ports_of(by_shares, parse_choice(by_shares, word(parameters, "gather")));
        },
};

}  // namespace quadrille

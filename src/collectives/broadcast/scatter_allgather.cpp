// SPDX-License-Identifier: BSD-3-Clause
// broadcast/scatter-allgather: cut the vector into a piece for each rank, deal the pieces out, collect them everywhere.
// Source  [grama2003] improving the performance of operations; van de Geijn's broadcast in MPI libraries.
// Needs   nothing: any p, any root, pieces that differ by a byte where p does not divide b.
// Idea    scatterv/binomial, then an algorithm for allgatherv, joined: a rank's share lies in the output where the vector has it.
// Cost    C1 = 2 ceil(log2 p) rounds by default, ceil(log2 p) + p - 1 with the ring; C2 = 2 b (p - 1) / p bytes, where p divides b.
// Prefer  long vectors.
#include "collectives/two_parts.hpp"

namespace quadrille {

extern const Algorithm broadcast_scatter_allgather{
    .collective = Collective::broadcast,
    .id = "scatter-allgather",
    .summary = "deal out a piece for each rank, then collect the pieces everywhere",
    .needs = "what the gather needs",
    .source = "grama2003",
    .parameters = {gather_part()},
    .generate = joined_at_the_piece,
    .applies = gather_applies,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return parts_of_pieces(problem, Collective::scatterv, "binomial", Collective::allgatherv, word(parameters, "gather"));
        },
    .ports =
        [](const Problem& problem, const Parameters& parameters) {
          const Problem pieces = of_pieces(problem, Collective::allgatherv);
          return ports_of(pieces, parse_choice(pieces, word(parameters, "gather")));
        },
};

}  // namespace quadrille

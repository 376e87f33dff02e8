// SPDX-License-Identifier: BSD-3-Clause
// allreduce/reduce-scatter-allgather: cut the vector into a piece for each rank, combine every piece at its rank, collect the
// pieces everywhere.
// Source  [grama2003] improving the performance of operations; Rabenseifner's allreduce in MPI libraries.
// Needs   what the parts need: a power of two for recursive halving and doubling, an operator that commutes for the scatters ring
//         and circulant.
// Idea    An algorithm for reduce_scatterv, then one for allgatherv, joined: a rank's piece is left in its place in the output.
// Cost    C1 = 2 ceil(log2 p) rounds, C2 = 2 b (p - 1) / p bytes by default, where p divides the vector: the least on one port.
// Prefer  long vectors; where far partners share links, scatter=recursive-halving:first=near and
//         gather=recursive-doubling:first=far, by which the most goes to near ones.
#include "collectives/two_parts.hpp"

namespace quadrille {
namespace {

Result<> applies(const Problem& problem, const Parameters& parameters) {
  if (auto scatters = scatter_applies(problem, parameters); !scatters) return scatters;
  return gather_applies(problem, parameters);
}

Count ports(const Problem& problem, const Parameters& parameters) {
  const Problem scattered = of_pieces(problem, Collective::reduce_scatterv), gathered = of_pieces(problem, Collective::allgatherv);
  return std::max(ports_of(scattered, choice_of_scatter(scattered, parameters)),
                  ports_of(gathered, parse_choice(gathered, word(parameters, "gather"))));
}

}  // namespace

extern const Algorithm allreduce_reduce_scatter_allgather{
    .collective = Collective::allreduce,
    .id = "reduce-scatter-allgather",
    .summary = "combine a piece for each rank at that rank, then collect the pieces everywhere",
    .needs = "what the parts need",
    .source = "grama2003",
    .parameters = {scatter_part(), gather_part()},
    .generate = joined_at_the_piece,
    .applies = applies,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return parts_of_pieces(problem, Collective::reduce_scatterv, word(parameters, "scatter"), Collective::allgatherv,
                                 word(parameters, "gather"));
        },
    .ports = ports,
    .combining = combining_of_scatter,
    .combining_rule = combining_rule_of_scatter,
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// reduce/reduce-scatter-gather: cut the vector into a piece for each rank, combine every piece at its rank, collect the pieces.
// Source  [grama2003] improving the performance of operations; Rabenseifner's reduction in MPI libraries.
// Needs   what the scatter needs: a power of two for recursive halving, an operator that commutes for ring and circulant.
// Idea    An algorithm for reduce_scatterv, then gatherv/binomial, joined: the root's piece is left in its place in the output.
// Cost    C1 = 2 ceil(log2 p) rounds, C2 = 2 b (p - 1) / p bytes with recursive halving or circulant, where p divides the vector.
// Prefer  long vectors.
#include "collectives/two_parts.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const TwoParts&>(*analysis);
  const Region own = piece(Buffer::output, problem, me);
  Program scatter = parts.first.program(me);
  Placement place{Buffer::output, own.offset};
  if (me != problem.root) {
    place = {Buffer::scratch, scatter.scratch_bytes};
    scatter.scratch_bytes += own.length;
  }
  return joined({.program = std::move(scatter), .output = place}, {.program = parts.second.program(me), .input = place});
}

}  // namespace

extern const Algorithm reduce_reduce_scatter_gather{
    .collective = Collective::reduce,
    .id = "reduce-scatter-gather",
    .summary = "combine a piece for each rank at that rank, then collect the pieces at the root",
    .needs = "what the scatter needs",
    .source = "grama2003",
    .parameters = {scatter_part()},
    .generate = generate,
    .applies = scatter_applies,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return parts_of_pieces(problem, Collective::reduce_scatterv, word(parameters, "scatter"), Collective::gatherv,
                                 "binomial");
        },
    .ports =
        [](const Problem& problem, const Parameters& parameters) {
          return ports_of(problem, choice_of_scatter(of_pieces(problem, Collective::reduce_scatterv), parameters));
        },
    .combining = combining_of_scatter,
    .combining_rule = combining_rule_of_scatter,
};

}  // namespace quadrille

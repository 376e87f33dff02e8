// SPDX-License-Identifier: BSD-3-Clause
// reduce/reduce-scatter-gather: the vector is cut into a share for each rank; each share is combined at its rank, then
// the root gathers the shares.
// Source  [grama2003] improving the performance of operations; Rabenseifner's reduction in MPI libraries.
// Needs   the requirements of the scatter: a power of two for recursive halving, an operator that commutes for ring
//         and circulant.
// Idea    An algorithm for reduce_scatterv, then gatherv/binomial. Between the two, the root's share lies at its final
//         place in the output.
// Cost    C1 = 2 ceil(log2 p) rounds, C2 = 2 b (p - 1) / p bytes with recursive halving or circulant, if p divides the
//         vector.
// Prefer  long vectors.
#include "collectives/spreading/two_parts.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

Program generate_reduce_scatter_gather(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const TwoParts&>(*analysis);
  const Region own = vector_share(Buffer::output, problem, me);
  Program scatter = parts.first.program(me);
  BufferPosition place{Buffer::output, own.offset};
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
    .summary = "combine a share of the vector at each rank, then gather the shares at the root",
    .picture =
        "First each share of the vector is combined at its own rank, so that all ranks work at the same time, then the root "
        "gathers the finished shares. Messages halve while shares are combined, and double again on the way to the root, where a "
        "binomial tree sends a whole vector in each round: it is the way for long vectors.",
    .needs = "what the scatter needs",
    .source = "grama2003",
    .parameters = {scatter_part()},
    .generate = generate_reduce_scatter_gather,
    .applies = scatter_applies,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return parts_by_shares(problem, Collective::reduce_scatterv, word(parameters, "scatter"), Collective::gatherv,
                                 "binomial");
        },
    .cuts_blocks = true,
    .ports =
        [](const Problem& problem, const Parameters& parameters) {
          return ports_of(problem, choice_of_scatter(problem_of_shares(problem, Collective::reduce_scatterv), parameters));
        },
    .combining = combining_of_scatter,
    .combining_rule = combining_rule_of_scatter,
    .tried_between_nodes = [](const Problem&) -> std::vector<std::string_view> { return {"scatter=direct"}; },
};

}  // namespace quadrille

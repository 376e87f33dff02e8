// SPDX-License-Identifier: BSD-3-Clause
// allreduce/reduce-scatter-allgather: the vector is cut into a share for each rank; each share is combined at its rank,
// then all shares are gathered everywhere.
// Source  [grama2003] improving the performance of operations; Rabenseifner's allreduce in MPI libraries.
// Needs   the requirements of both parts: a power of two for recursive halving and doubling, an operator that commutes
//         for scatter=ring and scatter=circulant.
// Idea    An algorithm for reduce_scatterv runs first, then an algorithm for allgatherv. Between the two, a rank's
//         share lies at its final place in the output.
// Cost    C1 = 2 ceil(log2 p) rounds, C2 = 2 b (p - 1) / p bytes by default, if p divides the vector: the least on one
//         port.
// Prefer  long vectors. If distant partners share links, use scatter=recursive-halving:first=near and
//         gather=recursive-doubling:first=far, which send most data to near partners.
#include "collectives/spreading/two_parts.hpp"

namespace quadrille {
namespace {

Result<> reduce_scatter_allgather_applies(const Problem& problem, const Parameters& parameters) {
  if (auto scatters = scatter_applies(problem, parameters); !scatters) return scatters;
  return gather_applies(problem, parameters);
}

Count reduce_scatter_allgather_ports(const Problem& problem, const Parameters& parameters) {
  const Problem scattered = problem_of_shares(problem, Collective::reduce_scatterv),
                gathered = problem_of_shares(problem, Collective::allgatherv);
  return std::max(ports_of(scattered, choice_of_scatter(scattered, parameters)),
                  ports_of(gathered, parse_choice(gathered, word(parameters, "gather"))));
}

}  // namespace

extern const Algorithm allreduce_reduce_scatter_allgather{
    .collective = Collective::allreduce,
    .id = "reduce-scatter-allgather",
    .summary = "combine a share of the vector at each rank, then gather the shares at all ranks",
    .picture =
        "In the first half messages become shorter and shares are combined, until each rank has one finished share; in the second "
        "half the shares spread and messages grow again. Each rank sends less than two vectors in all, the least possible on one "
        "port: it is the way for long vectors.",
    .needs = "what the parts need",
    .source = "grama2003",
    .parameters = {scatter_part(), gather_part()},
    .generate = joined_at_the_share,
    .applies = reduce_scatter_allgather_applies,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return parts_by_shares(problem, Collective::reduce_scatterv, word(parameters, "scatter"), Collective::allgatherv,
                                 word(parameters, "gather"));
        },
    .cuts_blocks = true,
    .ports = reduce_scatter_allgather_ports,
    .combining = combining_of_scatter,
    .combining_rule = combining_rule_of_scatter,
    .tried_between_nodes = [](const Problem& whole) -> std::vector<std::string_view> {
      if (required_combining(whole) == Combining::any_order) return {};  // other algorithms send less
      return {"scatter=direct"};
    },
};

}  // namespace quadrille

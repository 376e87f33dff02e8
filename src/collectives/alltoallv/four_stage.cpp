// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/four-stage: deal everything out along rows and columns of a grid, then collect it the same way (A4 of the source).
// Source  [liu2002], algorithm A4; chained dealing, the grain and the choice of grids are our additions
//         (docs/collectives/alltoallv.md).
// Needs   a valid grid; the default is one for any p.
// Idea    Dealt out like cards, first to the columns and there to the rows, what is for a target ends up evenly on all ranks,
//         however uneven the counts are. Collecting it is then balanced, too.
// Cost    C1 <= 4 sqrt(p) rounds, about; C2 at most 4L and the rounding, L the most that a rank sends or receives; output
//         and scratch of a rank together about 2L.
// Prefer  uneven counts of short to medium length, for about 20 ranks or more.
#include "collectives/counts_agreement.hpp"
#include "collectives/grid_exchange.hpp"
#include "collectives/pairs.hpp"

namespace quadrille {
namespace {

Split split_of(const Parameters& parameters) { return word(parameters, "split") == "chain" ? Split::chain : Split::paper; }

}  // namespace

extern const Algorithm alltoallv_four_stage{
    .collective = Collective::alltoallv,
    .id = "four-stage",
    .summary = "deal everything out evenly along rows and columns of a grid, then collect it along rows and columns",
    .needs = "a valid number of columns",
    .source = "liu2002, algorithm A4",
    .parameters = {columns_parameter(),
                   {.name = "split",
                    .summary = "dealing goes on from target to target, or starts anew for each as printed, which balances worse",
                    .standard = "chain",
                    .choices = {"chain", "paper"}},
                   grain_parameter(),
                   counts_parameter()},
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return grid_exchange(problem, analysis, me); },
    .reason_against = reason_against_columns,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return analyse_grid_exchange(problem, parameters, split_of(parameters), number(parameters, "grain"));
        },
    .in_stages =
        [](const Problem& problem, const Parameters& parameters, Rank me) {
          return grid_exchange_in_stages(problem, parameters, split_of(parameters), number(parameters, "grain"), me);
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

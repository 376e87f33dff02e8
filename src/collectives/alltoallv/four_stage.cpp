// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/four-stage: deal everything out along rows and columns of a grid, then collect it the same way (A4 of the source).
// Source  [liu2002], algorithm A4; chained dealing, the grain and the choice of grids are our additions
//         (docs/collectives/alltoallv.md). More than two dimensions are proposed in its section 5.
// Needs   a valid grid; the default is one for any p. Or `sides` whose product is p.
// Idea    Dealt out like cards, first to the columns and there to the rows, what is for a target ends up evenly on all ranks,
//         however uneven the counts are. Collecting it is then balanced, too.
// Cost    C1 <= 4 sqrt(p) rounds, about; C2 at most 4L, L the most that a rank sends or receives, and rounding to grains, which is
//         most of it where messages have fewer grains than there are ranks; output and scratch of a rank together about 2L.
//         With sides N_i C1 = 2 sum of (N_i - 1), C2 at most 2L sum of (1 - 1/N_i) and that rounding.
// Prefer  uneven counts of short to medium length, for about 20 ranks or more.
#include "collectives/array_sides.hpp"
#include "collectives/counts_agreement.hpp"
#include "collectives/grid_exchange.hpp"
#include "collectives/pairs.hpp"
#include "collectives/route_replay.hpp"

namespace quadrille {

extern const Algorithm alltoallv_four_stage{
    .collective = Collective::alltoallv,
    .id = "four-stage",
    .summary = "deal everything out evenly along rows and columns of a grid, then collect it along rows and columns",
    .needs = "a valid number of columns, or sides whose product is p",
    .source = "liu2002, algorithm A4",
    .parameters = {sides_parameter(), columns_parameter(), split_parameter(), grain_parameter(), counts_parameter()},
    .generate = program_by_route,
    .applies = array_applies,
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

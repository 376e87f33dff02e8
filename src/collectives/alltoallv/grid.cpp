// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/grid: along the row to the target's column, then along the column (A3 of the source).
// Source  [liu2002], algorithm A3; for any number of ranks it is the last two stages of A4.
// Needs   a valid grid; the default is one for any p.
// Idea    Who is in my row and in the target's column takes it from me. Where the last row is short, somebody stands in.
// Cost    C1 <= 2 sqrt(p) rounds; each byte travels twice. A rank may have to take sqrt(p) times its share on the way.
// Prefer  short, balanced counts, where the number of rounds rules; on uneven ones four-stage.
#include "collectives/counts_agreement.hpp"
#include "collectives/grid_exchange.hpp"

namespace quadrille {

extern const Algorithm alltoallv_grid{
    .collective = Collective::alltoallv,
    .id = "grid",
    .summary = "along the rows of a grid to the right column, then along the columns",
    .needs = "a valid number of columns",
    .source = "liu2002, algorithm A3",
    .parameters = {columns_parameter(), counts_parameter()},
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return grid_exchange(problem, analysis, me); },
    .reason_against = reason_against_columns,
    .analyse = [](const Problem& problem,
                  const Parameters& parameters) { return analyse_grid_exchange(problem, parameters, std::nullopt, 1); },
    .in_stages = [](const Problem& problem, const Parameters& parameters,
                    Rank me) { return grid_exchange_in_stages(problem, parameters, std::nullopt, 1, me); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

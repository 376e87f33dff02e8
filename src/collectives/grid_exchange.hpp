// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchange along the lines of an array of ranks [liu2002], with all counts known or with headers; the ways are those of a
// GridRoute, or where there are more or fewer sides than two of an ArrayRoute.
#pragma once

#include "collectives/grid_route.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// For Algorithm::analyse, with the parameters `sides`, `columns` and `counts`; for program_by_route. `split` absent: nothing is
// dealt out.
std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain);

// For Algorithm::in_stages.
std::unique_ptr<StagedProgram> grid_exchange_in_stages(const Problem& problem, const Parameters& parameters,
                                                       std::optional<Split> split, Bytes grain, Rank me);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchange along the lines of an array of ranks [liu2002], with all counts known or with headers. With two
// sides the route is a GridRoute, with any other number of sides an ArrayRoute.
#pragma once

#include "collectives/slices/array_routes.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// For Algorithm::analyse. Uses the parameters `sides`, `columns` and `counts`; the result is for program_by_route.
// Without `split`, nothing is dealt out.
std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain);

// For Algorithm::incremental.
std::unique_ptr<IncrementalProgram> grid_exchange_in_stages(const Problem& problem, const Parameters& parameters,
                                                            std::optional<Split> split, Bytes grain, Rank me);

}  // namespace quadrille

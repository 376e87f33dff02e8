// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchange along the rows and columns of an array of nodes [liu2002], with all counts known or with headers; the ways
// are those of a GridRoute.
#pragma once

#include "collectives/grid_route.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// For Algorithm::analyse, with the parameters `columns` and `counts`. `split` absent: two passes.
std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain);

// For Algorithm::generate, of what analyse_grid_exchange returned.
Program grid_exchange(const Problem& problem, const Analysis* analysis, Rank me);

// For Algorithm::in_stages.
std::unique_ptr<StagedProgram> grid_exchange_in_stages(const Problem& problem, const Parameters& parameters,
                                                       std::optional<Split> split, Bytes grain, Rank me);

// The parameter `columns`: the best grid for the number of ranks, the paper's, or any that is valid.
Parameter columns_parameter();
std::optional<std::string> reason_against_columns(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille

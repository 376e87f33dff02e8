// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchange along the rows and columns of an array of nodes [liu2002]: either everything goes along its row to the
// column it is for and then along that column (two passes), or it is first dealt out along row and column, so that
// afterwards everybody has about as much for every target (four passes).
//
// In a message the pieces stand by target, column by column, then source, then offset. A message arrives in one run of
// scratch memory; what a rank would send to itself stays where it is.
#pragma once

#include <optional>

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Where dealing starts for each target.
enum class Split : std::uint8_t {
  chain,  // where it stopped for the target before: better balanced
  paper,  // at the target's own column, or row
};

// For Algorithm::analyse, with the parameters `columns` and `counts`. `split` absent: two passes.
std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain);

// For Algorithm::generate, of what analyse_grid_exchange returned.
Program grid_exchange(const Analysis* analysis, Rank me);

// The parameter `columns`: the best grid for the number of ranks, the paper's, or any that is valid.
Parameter columns_parameter();
std::optional<std::string> reason_against_columns(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille

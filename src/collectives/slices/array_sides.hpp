// SPDX-License-Identifier: BSD-3-Clause
// The parameters that arrange the ranks in an array: `columns` for rows of this length (the last row may be shorter),
// or `sides` for an array with any number of dimensions (array_route.hpp).
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// The value of the parameter `sides`, such as 4x4x4; empty if it is "none".
std::vector<Count> sides_of(const Parameters& parameters);

// `sides` must be listed before `columns`, because the default of `columns` is the last side if sides are given.
Parameter sides_parameter();
// The parameter `columns`: the best grid for the number of ranks, the paper's, or any that is valid.
Parameter columns_parameter();
Result<> columns_apply(const Problem& problem, const Parameters& parameters);
Result<> array_applies(const Problem& problem, const Parameters& parameters);  // checks sides or columns

}  // namespace quadrille

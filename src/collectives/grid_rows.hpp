// SPDX-License-Identifier: BSD-3-Clause
// The parameter `rows` of the algorithms on a grid: rank i stands in row i / columns and column i % columns.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Parameter grid_rows();
Result<> has_full_rows(const Problem& problem, const Parameters& parameters);  // p has to be divisible

// The same for algorithms that take a grid of any number of dimensions: the first side of the problem's own grid stands for that
// grid, and any other number for a grid of two dimensions.
Parameter mesh_rows();
std::vector<Count> mesh_sides(const Problem& problem, Count rows);

// Moving all rows on by one: a symmetry of what goes along rows and then along columns, or the other way round.
Symmetry rows_moved_on(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille

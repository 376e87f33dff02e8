// SPDX-License-Identifier: BSD-3-Clause
// The parameter `rows` of algorithms on a grid: rank i is in row i / columns and column i % columns.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Parameter grid_rows();
Result<> has_full_rows(const Problem& problem, const Parameters& parameters);  // p must be divisible by the rows

// As above, for algorithms on grids of any number of dimensions. If `rows` is the first side of the problem's own grid,
// this grid is used, otherwise a grid of two dimensions.
Parameter mesh_rows();
std::vector<Count> mesh_sides(const Problem& problem, Count rows);

// The symmetry of programs that work along rows and then along columns, or vice versa: it moves every row on by one.
Symmetry rows_moved_on(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille

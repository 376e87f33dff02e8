// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/grid_rows.hpp"

#include <fmt/format.h>

#include "patterns/integers.hpp"

namespace quadrille {

Parameter grid_rows() {
  return {.name = "rows",
          .summary =
              "rows of the grid: by default those of the problem's own grid, else the largest divisor of p up to its square root",
          .standard = Count{1},
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return problem.grid.size() == 2 ? problem.grid[0] : most_square_rows(problem.ranks);
          },
          .standard_rule = "the grid's, else the largest divisor of p up to its square root",
          .choices = {},
          .least = 1,
          .most = [](const Problem& problem) { return problem.ranks; },
          .range = "the divisors of p"};
}

Result<> has_full_rows(const Problem& problem, const Parameters& parameters) {
  const Count rows = number(parameters, "rows");
  if (problem.ranks % rows == 0) return {};
  return cannot(fmt::format("{} ranks do not fill a grid of {} rows", problem.ranks, rows));
}

Parameter mesh_rows() {
  Parameter parameter = grid_rows();
  parameter.summary =
      "rows of the grid; if this is the first side of the problem's own grid (the default), all sides of that grid are used";
  parameter.standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
    return problem.grid.empty() ? most_square_rows(problem.ranks) : problem.grid[0];
  };
  parameter.standard_rule = "the grid's first side, else the largest divisor of p up to its square root";
  return parameter;
}

std::vector<Count> mesh_sides(const Problem& problem, Count rows) {
  if (!problem.grid.empty() && problem.grid[0] == rows) return problem.grid;
  return {rows, problem.ranks / rows};
}

// Moving rows keeps the order of blocks within a row; moving columns would not.
Symmetry rows_moved_on(const Problem& problem, const Parameters& parameters) {
  const Count rows = number(parameters, "rows"), columns = problem.ranks / rows;
  return Symmetry({{columns, columns}, {rows, 1}});
}

}  // namespace quadrille

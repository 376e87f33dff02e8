// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/grid: data goes along the row to the target's column, then along the column (A3 of the source). Grids may have more
// dimensions.
// Source  [liu2002], algorithm A3; for any number of ranks it is the last two stages of A4. Section 5 proposes more
//         stages.
// Needs   a valid grid, as the default is for any p; or `sides` of an array in which every place has a rank, except at the end of
//         the last row.
// Idea    A rank sends its data for a target to the rank of its own row that is in the target's column; this rank forwards the
//         data to the target. If the sender's row is the last row and has no rank in that column, a rank of another row forwards
//         the data.
// Cost    C1 <= 2 sqrt(p) rounds; each byte travels twice. A rank may have to forward about sqrt(p) L bytes, where L is
//         the most that a rank sends or receives. With sides N_i, C1 = sum of N_i - 1, and each byte travels once for
//         each side.
// Prefer  short, balanced counts, where the number of rounds dominates the time; for uneven counts use four-stage.
#include "collectives/slices/array_routes.hpp"
#include "collectives/slices/slice_code.hpp"
#include "collectives/slices/slice_passes.hpp"

namespace quadrille {
namespace {

std::shared_ptr<const Analysis> analyse_grid(const Problem& problem, const Parameters& parameters) {
  return analyse_grid_exchange(problem, parameters, std::nullopt, 1);
}

std::unique_ptr<IncrementalProgram> grid_incremental(const Problem& problem, const Parameters& parameters, Rank me) {
  return grid_exchange_in_stages(problem, parameters, std::nullopt, 1, me);
}

}  // namespace

extern const Algorithm alltoallv_grid{
    .collective = Collective::alltoallv,
    .id = "grid",
    .summary = "along the rows of a grid to the target's column, then along the columns; or through more dimensions",
    .picture =
        "Two exchanges in short lines take the place of one among all: about 2 sqrt(p) rounds of data instead of p - 1. With "
        "uneven counts some ranks forward much more than others, as the view of the time shows; four-stage avoids that.",
    .needs = "a valid number of columns, or sides of an array in which at most the last row is short",
    .source = "liu2002, algorithm A3",
    .parameters = {sides_parameter(), columns_parameter(), counts_parameter()},
    .generate = program_by_route,
    .applies = array_applies,
    .analyse = analyse_grid,
    .incremental = grid_incremental,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

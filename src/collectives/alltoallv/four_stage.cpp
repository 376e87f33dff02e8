// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/four-stage: deals all data out along rows and columns of a grid, then collects it the same way (A4 of the
// source).
// Source  [liu2002], algorithm A4. Chained dealing, the grain and the choice of grids are our additions
//         (docs/collectives/alltoallv.md). Section 5 of the source proposes more than two dimensions.
// Needs   a valid grid, as the default is for any p; or `sides` of an array in which every place has a rank, except at the end of
//         the last row.
// Idea    The data for each target is dealt out like cards, first to the columns and within them to the rows. After that all
//         ranks hold about the same amount for every target, even if counts are very uneven. So the load is also balanced when
//         the data is collected.
// Cost    C1 is at most about 4 sqrt(p) rounds. C2 is at most 4L plus rounding to grains, where L is the most that a rank sends
//         or receives; rounding dominates if messages have fewer grains than there are ranks. Output and scratch memory of a rank
//         together are about 2L. With sides N_i, C1 = 2 sum of (N_i - 1), and C2 is at most 2L sum of (1 - 1/N_i) plus rounding.
// Prefer  uneven counts of short to medium length, for about 20 ranks or more.
#include "collectives/saying.hpp"
#include "collectives/slices/array_routes.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_code.hpp"
#include "collectives/slices/slice_passes.hpp"

namespace quadrille {
namespace {

// Of full grids.
std::string says_of_four_stages(const Problem& problem, const Parameters& parameters, Count round) {
  const Count columns = number(parameters, "columns"), rows = problem.ranks / columns;
  if (word(parameters, "sides") != "none" || rows * columns != problem.ranks) return {};
  if (word(parameters, "counts") == "gathered") {
    const Count rounds = ceil_log2(problem.ranks);
    if (round < rounds) return fmt::format("Every rank tells the rank {} further the counts that it knows", Count{1} << round);
    round -= rounds;
  }
  const bool deals = round < rows + columns - 2;
  if (!deals) round -= rows + columns - 2;
  const bool is_row = round < columns - 1;
  return fmt::format("Every rank sends along its {}, {} places on, {}", is_row ? "row" : "column",
                     (is_row ? round : round - columns + 1) + 1,
                     deals    ? "its equal part of all data, whatever the target"
                     : is_row ? "what is for ranks of that column"
                              : "what is for that rank");
}

}  // namespace

extern const Algorithm alltoallv_four_stage{
    .collective = Collective::alltoallv,
    .id = "four-stage",
    .summary = "deal everything out evenly along rows and columns of a grid, then collect it along rows and columns",
    .picture =
        "The first two stages deal the data out along rows and columns like cards, the last two collect it. With long data each "
        "rank then holds about as much as any other, so the messages of a round are about equally long, however uneven the counts "
        "are. Here the blocks are about as short as the 64 B of a dealt piece, so the messages still differ much. Each byte "
        "travels up to four times, in about 4 sqrt(p) rounds of data.",
    .needs = "a valid number of columns, or sides of an array in which at most the last row is short",
    .source = "liu2002, algorithm A4",
    .parameters = {sides_parameter(), columns_parameter(), split_parameter(), grain_parameter(), counts_parameter()},
    .says = says_of_four_stages,
    .generate = program_by_route,
    .applies = array_applies,
    .analyse =
        [](const Problem& problem, const Parameters& parameters) {
          return analyse_grid_exchange(problem, parameters, split_of(parameters), number(parameters, "grain"));
        },
    .incremental =
        [](const Problem& problem, const Parameters& parameters, Rank me) {
          return grid_exchange_in_stages(problem, parameters, split_of(parameters), number(parameters, "grain"), me);
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

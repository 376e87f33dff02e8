// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/mesh: rings along the columns of a grid combine whole rows, then rings along its rows combine single blocks.
// Source  [grama2003] all-to-all reduction on a mesh, the reverse of the all-to-all broadcast.
// Needs   rows divides p; an operator that commutes.
// Idea    A ring in each column brings the blocks for a row to that row and combines them. A ring in each row then combines and
//         scatters these blocks.
// Cost    r rows, c columns: C1 = r + c - 2 rounds, C2 = p - 1 blocks: the smallest volume on one port.
// Prefer  large blocks on a network that is a mesh or torus of this shape.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

std::optional<Symmetry> symmetry(const Problem& problem, const Parameters& parameters) {
  if (required_combining(problem) != Combining::any_order) return std::nullopt;
  return rows_moved_on(problem, parameters);
}

}  // namespace

extern const Algorithm reduce_scatter_mesh{
    .collective = Collective::reduce_scatter,
    .id = "mesh",
    .summary = "rings along the columns of a grid, which pass on whole rows, then along its rows",
    .picture =
        "First the columns exchange messages as long as a row, then the rows exchange single blocks. There are far fewer rounds "
        "than on one ring, with the same volume, and all messages go to neighbours.",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {grid_rows()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis* analysis,
                   Rank me) { return reduced(gather_on_mesh(problem, number(parameters, "rows"), shares(analysis), me)); },
    .applies = has_full_rows,
    .analyse = Shares::analyse,
    .symmetry = symmetry,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
};

}  // namespace quadrille

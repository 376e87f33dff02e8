// SPDX-License-Identifier: BSD-3-Clause
// allgather/mesh: rings along the rows of a grid pass on blocks, then rings along its columns pass on whole rows.
// Source  [grama2003] all-to-all broadcast on a mesh.
// Needs   rows divides p.
// Idea    A ring in each row gathers the blocks of the row. A ring in each column then passes on whole rows, which are
//         contiguous in memory.
// Cost    r rows, c columns: C1 = r + c - 2 rounds, C2 = p - 1 blocks: the smallest volume on one port.
// Prefer  large blocks on a network that is a mesh or torus of this shape.
#include "collectives/spreading/spreading.hpp"

namespace quadrille {
namespace {

Program generate_mesh(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return gather_on_mesh(problem, number(parameters, "rows"), shares(analysis), me);
}

std::optional<Symmetry> mesh_symmetry(const Problem& problem, const Parameters& parameters) {
  return rows_moved_on(problem, parameters);
}

}  // namespace

extern const Algorithm allgather_mesh{
    .collective = Collective::allgather,
    .id = "mesh",
    .summary = "rings along the rows of a grid, then along its columns, which pass on whole rows",
    .picture =
        "First the rows exchange single blocks, then the columns exchange messages as long as a row. There are far fewer rounds "
        "than on one ring, with the same volume, and all messages go to neighbours.",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {grid_rows()},
    .generate = generate_mesh,
    .applies = has_full_rows,
    .analyse = Shares::analyse,
    .symmetry = mesh_symmetry,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

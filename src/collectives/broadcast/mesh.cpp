// SPDX-License-Identifier: BSD-3-Clause
// broadcast/mesh: along the root's row, then along all columns; on grids with more dimensions, dimension by dimension.
// Source  [grama2003] broadcast and reduction on a mesh.
// Needs   rows divides p.
// Idea    On a line, the rank that has the vector cuts the line in two parts and sends the vector to the rank at the same
//         relative position of the other part. Then the same is done in each part (patterns/trees.hpp). No two messages of a
//         round use the same link of a mesh or torus that has the sides of the grid, for any sides and any root.
// Cost    sides N_i: C1 = sum of ceil(log2 N_i) rounds, which is log2 p if all sides are powers of two; C2 = C1
//         vectors.
// Prefer  short vectors on a torus of this shape whose sides are not powers of two. On meshes without wrap-around links binomial
//         is as good: it has as many rounds or fewer, and its messages share no link.
#include "collectives/spreading/spreading.hpp"
#include "patterns/trees.hpp"

namespace quadrille {

extern const Algorithm broadcast_mesh{
    .collective = Collective::broadcast,
    .id = "mesh",
    .summary = "along the root's row of a grid, then along all columns: on a mesh no two messages share a link",
    .picture =
        "On each line of the grid the rank that has the vector sends it to the other half of the line, and both halves go on in "
        "the same way, so no message crosses another. It is for grids whose sides are no powers of two; otherwise the binomial "
        "tree is as good.",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {mesh_rows()},
    .generate =
        [](const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
          const MeshTree tree{mesh_sides(problem, number(parameters, "rows")), problem.root};
          return broadcast_by_tree(position_of(tree, me), problem.block_bytes, me);
        },
    .applies = has_full_rows,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// broadcast/mesh: along the root's row, then along all columns; dimension by dimension on a grid of more.
// Source  [grama2003] broadcast and reduction on a mesh.
// Needs   rows divides p.
// Idea    On a line the vector goes to a rank of the other part, the one at the sender's own place there, and both parts go on by
//         themselves (patterns/mesh_tree.hpp). Messages of a round share no link of a mesh or torus of the grid's sides, whatever
//         the sides and the root.
// Cost    Sides N_i: C1 = sum of ceil(log2 N_i) rounds, log2 p where all are powers of two; C2 = C1 vectors.
// Prefer  short vectors on a torus of this shape whose sides are no powers of two; on open meshes binomial has no more rounds, and
//         shares no link either.
#include "collectives/broadcasting.hpp"
#include "collectives/grid_rows.hpp"
#include "patterns/mesh_tree.hpp"

namespace quadrille {

extern const Algorithm broadcast_mesh{
    .collective = Collective::broadcast,
    .id = "mesh",
    .summary = "along the root's row of a grid, then along all columns: no link is shared on a mesh",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {mesh_rows()},
    .generate =
        [](const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
          const MeshTree tree{mesh_sides(problem, number(parameters, "rows")), problem.root};
          return broadcast_by_tree(node_of(tree, me), problem.block_bytes, me);
        },
    .applies = has_full_rows,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

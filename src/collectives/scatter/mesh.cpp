// SPDX-License-Identifier: BSD-3-Clause
// scatter/mesh: blocks dealt out along the root's column, whole rows at a time, then along all rows.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication.
// Needs   rows divides p; any root.
// Idea    The tree of broadcast/mesh, but along the column first, so that what goes on together is a run of ranks. On a line the
//         larger part stays with the holder. Messages of a round share no link of a mesh or torus of the grid's sides.
// Cost    Sides N_i: C1 = sum of ceil(log2 N_i) rounds, log2 p where all are powers of two; C2 = p - 1 blocks, the least, for
//         any sides and any root.
// Prefer  small blocks on a torus with the sides of the grid, if they are not powers of two: messages of binomial may
//         then share links.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm scatter_mesh = mesh_algorithm(
    Collective::scatter, "blocks dealt out along the root's column of a grid, then along all rows: no link is shared on a mesh");

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// scatter/mesh: blocks are sent along the root's column, whole rows at a time, then along all rows.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication.
// Needs   rows divides p; any root.
// Idea    The tree of broadcast/mesh, but along the column first, so that each message holds the blocks of consecutive
//         ranks. When a line is cut in two, the larger part stays with the sender. No two messages of a round use the
//         same link of a mesh or torus that has the sides of the grid.
// Cost    sides N_i: C1 = sum of ceil(log2 N_i) rounds, which is log2 p if all sides are powers of two; C2 = p - 1
//         blocks, the least, for any sides and any root.
// Prefer  small blocks on a torus with the sides of the grid, if they are not powers of two: there the messages of
//         binomial may share links.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm scatter_mesh =
    mesh_algorithm(Collective::scatter,
                   "blocks sent along the root's column of a grid, then along all rows: on a mesh no two messages share a link");

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// scatterv/mesh: shares are sent along the root's column, whole rows at a time, then along all rows.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication.
// Needs   rows divides p; any root, shares of any size, which may be empty.
// Idea    The tree of broadcast/mesh, but along the column first, so that each message holds the shares of consecutive
//         ranks. When a line is cut in two, the larger part stays with the sender. No two messages of a round use the
//         same link of a mesh or torus that has the sides of the grid.
// Cost    sides N_i: C1 = sum of ceil(log2 N_i) rounds at most; C2 is the sum over the rounds of the largest subtree's
//         shares.
// Prefer  small shares on a torus with the sides of the grid, if they are not powers of two: there the messages of
//         binomial may share links.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm scatterv_mesh =
    mesh_algorithm(Collective::scatterv,
                   "shares sent along the root's column of a grid, then along all rows: on a mesh no two messages share a link");

}  // namespace quadrille

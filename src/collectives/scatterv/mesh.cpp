// SPDX-License-Identifier: BSD-3-Clause
// scatterv/mesh: shares dealt out along the root's column, whole rows at a time, then along all rows.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication.
// Needs   rows divides p; any root, shares of any size, also of none.
// Idea    The tree of broadcast/mesh, but along the column first, so that what goes on together is a run of ranks. On a line the
//         larger part stays with the holder. Messages of a round share no link of a mesh or torus of the grid's sides.
// Cost    Sides N_i: C1 = sum of ceil(log2 N_i) rounds at most; C2 is the sum over the rounds of the largest subtree's shares.
// Prefer  small shares on a torus with the sides of the grid, if they are not powers of two: messages of binomial may
//         then share links.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm scatterv_mesh = mesh_algorithm(
    Collective::scatterv, "shares dealt out along the root's column of a grid, then along all rows: no link is shared on a mesh");

}  // namespace quadrille

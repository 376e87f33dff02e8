// SPDX-License-Identifier: BSD-3-Clause
// gather/mesh: blocks collected along all rows at the root's column, then along this column, whole rows at a time.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication, run backwards.
// Needs   rows divides p; any root.
// Idea    scatter/mesh backwards: what comes together is a run of ranks. Messages of a round share no link of a mesh or torus of
//         the grid's sides.
// Cost    Sides N_i: C1 = sum of ceil(log2 N_i) rounds, log2 p where all are powers of two; C2 = p - 1 blocks, the least, for
//         any sides and any root.
// Prefer  small blocks on a torus with the sides of the grid, if they are not powers of two: messages of binomial may
//         then share links.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm gather_mesh = mesh_algorithm(
    Collective::gather, "blocks collected along the rows of a grid, then along the root's column: no link is shared on a mesh");

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// gatherv/mesh: shares are collected along all rows at the root's column, then along this column at the root, whole
// rows at a time.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication, run backwards.
// Needs   rows divides p; any root, shares of any size, which may be empty.
// Idea    scatterv/mesh backwards: each message holds the shares of consecutive ranks. No two messages of a round use
//         the same link of a mesh or torus that has the sides of the grid.
// Cost    sides N_i: C1 = sum of ceil(log2 N_i) rounds at most; C2 is the sum over the rounds of the largest subtree's
//         shares.
// Prefer  small shares on a torus with the sides of the grid, if they are not powers of two: there the messages of
//         binomial may share links.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm gatherv_mesh = mesh_algorithm(
    Collective::gatherv,
    "shares collected along the rows of a grid, then along the root's column: on a mesh no two messages share a link");

}  // namespace quadrille

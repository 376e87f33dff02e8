// SPDX-License-Identifier: BSD-3-Clause
// gatherv/mesh: shares collected along all rows at the root's column, then along this column, whole rows at a time.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication, run backwards.
// Needs   rows divides p; any root, shares of any size, also of none.
// Idea    scatterv/mesh backwards: what comes together is a run of ranks. Messages of a round share no link of a mesh or torus of
//         the grid's sides.
// Cost    Sides N_i: C1 = sum of ceil(log2 N_i) rounds at most; C2 is the sum over the rounds of the largest subtree's shares.
// Prefer  small shares on a torus with the sides of the grid, if they are not powers of two: messages of binomial may
//         then share links.
#include "collectives/grid_rows.hpp"
#include "collectives/scattering.hpp"
#include "schedule/transform.hpp"

namespace quadrille {

extern const Algorithm gatherv_mesh{
    .collective = Collective::gatherv,
    .id = "mesh",
    .summary = "shares collected along the rows of a grid, then along the root's column: no link is shared on a mesh",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {mesh_rows()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis* analysis,
                   Rank me) { return reversed(scatter_on_mesh(problem, number(parameters, "rows"), shares(analysis), me)); },
    .applies = has_full_rows,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

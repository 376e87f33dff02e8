// SPDX-License-Identifier: BSD-3-Clause
// scatter/mesh, scatterv/mesh, gather/mesh, gatherv/mesh: blocks are sent along the root's column, whole rows at a time, then
// along all rows; or they are collected along all rows, then along the root's column.
// Source  [grama2003] broadcast and reduction on a mesh; one-to-all personalised communication; a gather runs it backwards.
// Needs   rows divides p; any root, shares of any size, which may be empty.
// Idea    Blocks go down the tree of broadcast/mesh, but along the column first, so that each message holds the blocks of
//         consecutive ranks. When a line is cut in two, the larger part stays with the sender. No two messages of a round use the
//         same link of a mesh or torus that has the sides of the grid.
// Cost    sides N_i: C1 = sum of ceil(log2 N_i) rounds (or fewer, if shares are empty), which is log2 p if all sides are powers
//         of two. C2 = p - 1 blocks, the least, for any sides and any root; with shares, the sum over the rounds of the largest
//         subtree's shares.
// Prefer  small blocks on a torus with the sides of the grid, if the sides are not powers of two: there the messages of binomial
//         may share links.
#include "collectives/spreading/spreading.hpp"
#include "patterns/trees.hpp"

namespace quadrille {

Algorithm scatter_mesh(Collective collective) {
  return {
      .collective = collective,
      .id = "mesh",
      .summary = share_word(collective) +
                 (is_gather(collective) ? "s collected along the rows of a grid, then along the root's column"
                                        : "s sent along the root's column of a grid, then along all rows") +
                 ": on a mesh no two messages share a link",
      .picture =
          is_gather(collective)
              ? "With equal blocks the messages grow from round to round, and the last ones hold whole rows of the grid; the root "
                "receives each byte once. It is for grids whose sides are no powers of two: there the messages of the binomial "
                "tree "
                "may share links."
              : "The first messages hold whole rows of the grid, later ones fewer and fewer blocks, and the root sends each byte "
                "once. It is for grids whose sides are no powers of two: there the messages of the binomial tree may share links.",
      .needs = "rows divides p",
      .source = "grama2003",
      .parameters = {mesh_rows()},
      .generate =
          [](const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
            const MeshTree tree{mesh_sides(problem, number(parameters, "rows")), problem.root, DimensionOrder::first_first,
                                LineCut::around_holder};
            return scatter_by_tree(problem, position_of(tree, me), shares(analysis), me);
          },
      .applies = has_full_rows,
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

}  // namespace quadrille

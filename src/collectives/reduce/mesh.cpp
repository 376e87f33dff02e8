// SPDX-License-Identifier: BSD-3-Clause
// reduce/mesh: every row is combined at the root's column, then this column at the root; on grids with more dimensions,
// dimension by dimension.
// Source  [grama2003] broadcast and reduction on a mesh.
// Needs   rows divides p; any operator; keeps to the fixed tree if all sides except the first are powers of two.
// Idea    A broadcast along the column and then along the rows is run backwards. A rank combines vectors of consecutive ranks in
//         their order. Lines are cut at the same positions as the fixed tree, so that the order of combining is the same for
//         every root.
// Cost    sides N_i: C1 = sum of ceil(log2 N_i) rounds, which is log2 p if all sides are powers of two; C2 = C1
//         vectors.
// Prefer  short vectors on a torus of this shape whose sides are not powers of two. It combines in the order of ranks for every
//         root, whereas binomial may have to forward the result.
#include <algorithm>

#include "collectives/spreading/spreading.hpp"
#include "patterns/integers.hpp"
#include "patterns/trees.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

// A row is a subtree of the fixed tree if its length is a power of two. Sides of length 1 are left out.
Combining mesh_combining(const Problem& problem, const Parameters& parameters) {
  std::vector<Count> sides = mesh_sides(problem, number(parameters, "rows"));
  std::erase(sides, 1);
  const bool follows_tree =
      sides.empty() || std::all_of(sides.begin() + 1, sides.end(), [](Count side) { return is_power_of_two(side); });
  return follows_tree ? Combining::fixed_tree : Combining::rank_order;
}

}  // namespace

extern const Algorithm reduce_mesh{
    .collective = Collective::reduce,
    .id = "mesh",
    .summary = "combine the rows of a grid, then the root's column: on a mesh no two messages share a link",
    .picture =
        "Each line of the grid is combined half by half, so no message crosses another, and operands are combined in the order of "
        "the ranks for every root, which the binomial tree does for some roots only. It is for grids whose sides are no powers of "
        "two.",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {mesh_rows()},
    .generate =
        [](const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
          const MeshTree tree{mesh_sides(problem, number(parameters, "rows")), problem.root, DimensionOrder::first_first};
          return reduced(broadcast_by_tree(position_of(tree, me), problem.block_bytes, me));
        },
    .applies = has_full_rows,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = mesh_combining,
    .combining_rule = "rank order; fixed tree if all sides of the grid but the first are powers of two, not counting sides of 1",
};

}  // namespace quadrille

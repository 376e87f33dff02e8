// SPDX-License-Identifier: BSD-3-Clause
// The scatters. Regular and irregular ones differ in where shares lie and in nothing else, and a gather is a scatter run
// backwards, so each is made here once for four algorithms.
#pragma once

#include "collectives/shares.hpp"
#include "patterns/tree_node.hpp"

namespace quadrille {

// Down a tree: a rank receives the shares of its whole subtree, keeps its own, and hands the rest on. Subtrees are consecutive
// ranks.
Program scatter_by_tree(const TreeNode& node, const Shares& shares, Count ranks, Rank me);
Program scatter_by_binomial_tree(const Problem& problem, const Shares& shares, Rank me);

// Along the columns of a mesh, whose rows are runs of memory, then along its rows. `rows` is the parameter of mesh_rows().
Program scatter_on_mesh(const Problem& problem, Count rows, const Shares& shares, Rank me);

// From the root straight to everybody, `ports` messages a round, in the order root + 1, root + 2, ..
Program scatter_from_root(const Problem& problem, const Shares& shares, Count ports, Rank me);

// The parameter `ports` of the latter.
Parameter ports_of_root(std::string_view summary);

}  // namespace quadrille

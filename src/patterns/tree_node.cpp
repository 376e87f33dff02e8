// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/tree_node.hpp"

namespace quadrille {

TreeNode node_of(const BinomialTree& tree, std::string phase, Rank me) {
  const Count v = tree.virtual_of(me), depth = tree.depth();
  TreeNode node;
  node.phases.push_back({std::move(phase), depth});
  node.ranks = tree.subtree_of(v);
  if (v != 0) node.parent = TreeEdge{depth - 1 - tree.level_of(v), tree.rank_of(tree.parent_of(v)), node.ranks};
  for (Count level = depth - 1; level >= 0; --level) {
    if (!tree.has_child(v, level)) continue;
    const Count child = tree.child_of(v, level);
    node.children.push_back({depth - 1 - level, tree.rank_of(child), tree.subtree_of(child)});
  }
  return node;
}

}  // namespace quadrille

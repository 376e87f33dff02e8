// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/tree_position.hpp"

namespace quadrille {

TreePosition position_of(const BinomialTree& tree, std::string phase, Rank me) {
  const Count v = tree.virtual_of(me), depth = tree.depth();
  TreePosition position;
  position.phases.push_back({std::move(phase), depth});
  position.ranks = tree.subtree_of(v);
  if (v != 0) position.parent = TreeEdge{depth - 1 - tree.level_of(v), tree.rank_of(tree.parent_of(v)), position.ranks};
  for (Count level = depth - 1; level >= 0; --level) {
    if (!tree.has_child(v, level)) continue;
    const Count child = tree.child_of(v, level);
    position.children.push_back({depth - 1 - level, tree.rank_of(child), tree.subtree_of(child)});
  }
  return position;
}

}  // namespace quadrille

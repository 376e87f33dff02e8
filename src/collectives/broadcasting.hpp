// SPDX-License-Identifier: BSD-3-Clause
// The broadcasts that are run backwards as reductions, each made here once for both.
#pragma once

#include "patterns/tree_node.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// Down a tree: everybody who has the vector of `bytes` bytes passes it on.
Program broadcast_by_tree(const TreeNode& node, Bytes bytes, Rank me);

// In segments over a circulant graph: in round k rank r receives from r - s_k and sends to r + s_k.
Program broadcast_by_skips(const Problem& problem, Count segments, std::string stage, Rank me);
Parameter segments_of_skips();

}  // namespace quadrille

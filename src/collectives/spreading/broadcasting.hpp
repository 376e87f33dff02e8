// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts that are also used, run backwards, as reductions.
#pragma once

#include "patterns/tree_position.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// Down a tree: every rank that has the vector, of `bytes` bytes, passes it on.
Program broadcast_by_tree(const TreePosition& position, Bytes bytes, Rank me);

// A pipeline of segments over a circulant graph: in round k rank r receives from r - s_k and sends to r + s_k.
Program broadcast_by_skips(const Problem& problem, Count segments, std::string stage, Rank me);
Parameter segments_of_skips();

}  // namespace quadrille

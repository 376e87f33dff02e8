// SPDX-License-Identifier: BSD-3-Clause
// gather/binomial: blocks are collected up a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root.
// Idea    scatter/binomial backwards: a rank collects the blocks of its subtree, then sends them all to its parent.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port; C2 = p - 1 blocks, the least.
// Prefer  small blocks, where the number of rounds dominates the time.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm gather_binomial =
    binomial_algorithm(Collective::gather, "blocks collected up a binomial tree, whole subtrees at a time: the fewest rounds");

}  // namespace quadrille

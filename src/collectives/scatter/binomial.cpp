// SPDX-License-Identifier: BSD-3-Clause
// scatter/binomial: blocks are sent down a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root.
// Idea    Down the tree of broadcast/binomial: a rank receives its own block together with those of its whole subtree.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port; C2 = p - 1 blocks, the least.
// Prefer  small blocks, where the number of rounds dominates the time.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm scatter_binomial =
    binomial_algorithm(Collective::scatter, "blocks sent down a binomial tree, whole subtrees at a time: the fewest rounds");

}  // namespace quadrille

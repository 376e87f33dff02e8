// SPDX-License-Identifier: BSD-3-Clause
// scatter/binomial: blocks dealt out down a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root.
// Idea    Down the tree of broadcast/binomial: with a rank's block come those of its whole subtree.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port; C2 = p - 1 blocks, the least.
// Prefer  small blocks, where the number of rounds rules.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm scatter_binomial =
    binomial_algorithm(Collective::scatter, "blocks dealt out down a binomial tree, whole subtrees at a time: the fewest rounds");

}  // namespace quadrille

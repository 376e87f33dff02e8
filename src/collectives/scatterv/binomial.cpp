// SPDX-License-Identifier: BSD-3-Clause
// scatterv/binomial: shares dealt out down a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root, shares of any size, also of none.
// Idea    Down the tree of broadcast/binomial: with a rank's share come those of its whole subtree.
// Cost    C1 = ceil(log2 p) rounds at most; C2 is the sum over the rounds of the largest subtree's shares.
// Prefer  small shares, where the number of rounds rules.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm scatterv_binomial =
    binomial_algorithm(Collective::scatterv, "shares dealt out down a binomial tree, whole subtrees at a time: the fewest rounds");

}  // namespace quadrille

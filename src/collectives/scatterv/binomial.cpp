// SPDX-License-Identifier: BSD-3-Clause
// scatterv/binomial: shares are sent down a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root, shares of any size, which may be empty.
// Idea    Down the tree of broadcast/binomial: a rank receives its own share together with those of its whole subtree.
// Cost    C1 = ceil(log2 p) rounds at most; C2 is the sum over the rounds of the largest subtree's shares.
// Prefer  small shares, where the number of rounds dominates the time.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm scatterv_binomial =
    binomial_algorithm(Collective::scatterv, "shares sent down a binomial tree, whole subtrees at a time: the fewest rounds");

}  // namespace quadrille

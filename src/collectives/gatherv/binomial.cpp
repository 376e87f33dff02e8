// SPDX-License-Identifier: BSD-3-Clause
// gatherv/binomial: shares are collected up a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root, shares of any size, which may be empty.
// Idea    scatterv/binomial backwards: a rank collects the shares of its subtree, then sends them all to its parent.
// Cost    C1 = ceil(log2 p) rounds at most; C2 is the sum over the rounds of the largest subtree's shares.
// Prefer  small shares, where the number of rounds dominates the time.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm gatherv_binomial =
    binomial_algorithm(Collective::gatherv, "shares collected up a binomial tree, whole subtrees at a time: the fewest rounds");

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// scan/distance-doubling: send the partial result to the rank s above, at s = 1, 2, 4, ..
// Source  [hillis1986] prefix sums with messages over doubling distances.
// Needs   nothing: any p, any operator.
// Idea    Before the round of distance s a rank has combined the s vectors that end with its own. In the round it
//         receives the combination of the s vectors before them from the rank s below, and combines it on the left.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port, and C2 = C1 vectors, which travel in one direction only.
// Prefer  short vectors, if p is not a power of two.
#include "collectives/reducing/prefix_algorithms.hpp"

namespace quadrille {

extern const Algorithm scan_distance_doubling = prefix_doubling(Collective::scan);

}  // namespace quadrille

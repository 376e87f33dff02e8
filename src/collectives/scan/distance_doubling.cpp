// SPDX-License-Identifier: BSD-3-Clause
// scan/distance-doubling: tell the rank s above what is combined so far, s = 1, 2, 4, ..
// Source  [hillis1986] prefix sums with messages over doubling distances.
// Needs   nothing: any p, any operator.
// Idea    Before the round of distance s a rank has combined the s vectors up to its own. It gets those of the s ranks before
//         from the rank s below, in front of its own.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port, and as many vectors, in one direction only.
// Prefer  short vectors, where p is no power of two.
#include "collectives/prefix_programs.hpp"

namespace quadrille {

extern const Algorithm scan_distance_doubling = prefix_doubling(Collective::scan);

}  // namespace quadrille

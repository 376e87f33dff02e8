// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/ring: every block goes once around, combined on its way.
// Source  [grama2003] all-to-all reduction on a ring, the reverse of the all-to-all broadcast.
// Needs   an operator that commutes; any p.
// Idea    Block i starts at i - 1 and goes to the left; everybody on its way adds their own. What arrives is combined where
//         it lies, in one of two places that take turns, and passed on from there.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks: the least volume on one port.
// Prefer  large blocks and few ranks: messages go to neighbours only, and every one is a single run of memory.
#include "collectives/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_ring = reduce_scatter_along_ring(Collective::reduce_scatter);

}  // namespace quadrille

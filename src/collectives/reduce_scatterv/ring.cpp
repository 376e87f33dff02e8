// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatterv/ring: every share goes once around, combined on its way.
// Source  [grama2003] all-to-all reduction on a ring, the reverse of the all-to-all broadcast.
// Needs   an operator that commutes; any p, shares of any size, also of none.
// Idea    Share i starts at i - 1 and goes to the left; everybody on its way adds their own. What arrives is combined where
//         it lies, in one of two places that take turns, and passed on from there.
// Cost    C1 = p - 1 rounds, C2 = p - 1 times the largest share.
// Prefer  large shares of like size and few ranks: messages go to neighbours only, and every one is a single run of memory.
#include "collectives/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatterv_ring = reduce_scatter_along_ring(Collective::reduce_scatterv);

}  // namespace quadrille

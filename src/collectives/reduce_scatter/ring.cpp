// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/ring: every block goes once around a ring and is combined on its way.
// Source  [grama2003] all-to-all reduction on a ring, the reverse of the all-to-all broadcast.
// Needs   an operator that commutes; any p.
// Idea    Block i starts at rank i - 1 and goes to the left; every rank on its way combines its own operand with it. A
//         rank receives a block into one of two areas, which rounds use alternately, combines its operand there, and
//         sends the block on from there.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks: the smallest volume on one port.
// Prefer  large blocks and few ranks: messages go to neighbours only, and each is contiguous in memory.
#include "collectives/reducing/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_ring = reduce_scatter_along_ring(Collective::reduce_scatter);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// scatter/linear: the root sends every rank its block.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root.
// Idea    The root sends to root + 1, root + 2, .. in that order, `ports` messages in each round.
// Cost    C1 = ceil((p - 1) / ports) rounds and C2 = C1 blocks; each block moves once.
// Prefer  large blocks: no block is moved twice.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm scatter_linear = linear_algorithm(Collective::scatter, "the root sends every rank its block");

}  // namespace quadrille

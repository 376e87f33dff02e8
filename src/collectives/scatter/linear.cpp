// SPDX-License-Identifier: BSD-3-Clause
// scatter/linear: the root sends everybody their block.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root.
// Idea    The root sends to root + 1, root + 2, .. in that order, `ports` messages a round.
// Cost    C1 = ceil((p - 1) / ports) rounds and as many blocks; each block moves once.
// Prefer  large blocks: nothing is moved twice.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm scatter_linear = linear_algorithm(Collective::scatter, "the root sends everybody their block");

}  // namespace quadrille

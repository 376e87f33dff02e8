// SPDX-License-Identifier: BSD-3-Clause
// scatterv/linear: the root sends everybody their share.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root, shares of any size, also of none.
// Idea    The root sends to root + 1, root + 2, .. in that order, `ports` messages a round.
// Cost    C1 = ceil((p - 1) / ports) rounds at most; each share moves once.
// Prefer  large shares: nothing is moved twice.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm scatterv_linear = linear_algorithm(Collective::scatterv, "the root sends everybody their share");

}  // namespace quadrille

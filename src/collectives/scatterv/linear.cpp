// SPDX-License-Identifier: BSD-3-Clause
// scatterv/linear: the root sends every rank its share.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root, shares of any size, which may be empty.
// Idea    The root sends to root + 1, root + 2, .. in that order, `ports` messages in each round.
// Cost    C1 = ceil((p - 1) / ports) rounds at most; each share moves once.
// Prefer  large shares: no share is moved twice.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm scatterv_linear = linear_algorithm(Collective::scatterv, "the root sends every rank its share");

}  // namespace quadrille

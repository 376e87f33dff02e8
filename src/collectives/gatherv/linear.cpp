// SPDX-License-Identifier: BSD-3-Clause
// gatherv/linear: everybody sends to the root.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root, shares of any size, also of none.
// Idea    Everybody sends to the root, which takes `ports` messages a round, the ranks farthest up the line first.
// Cost    C1 = ceil((p - 1) / ports) rounds at most; each share moves once.
// Prefer  large shares: nothing is moved twice.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm gatherv_linear = linear_algorithm(Collective::gatherv, "everybody sends to the root");

}  // namespace quadrille

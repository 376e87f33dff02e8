// SPDX-License-Identifier: BSD-3-Clause
// gatherv/linear: every rank sends to the root.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root, shares of any size, which may be empty.
// Idea    Every rank sends to the root, which receives `ports` messages in each round: from the ranks root - 1, root - 2, ..
//         (mod p), in this order.
// Cost    C1 = ceil((p - 1) / ports) rounds at most; each share moves once.
// Prefer  large shares: no share is moved twice.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm gatherv_linear = linear_algorithm(Collective::gatherv, "every rank sends its share straight to the root");

}  // namespace quadrille

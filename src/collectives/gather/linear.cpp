// SPDX-License-Identifier: BSD-3-Clause
// gather/linear: every rank sends to the root.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root.
// Idea    Every rank sends to the root, which receives `ports` messages in each round, from the most distant ranks
//         (root - 1, root - 2, ..) first.
// Cost    C1 = ceil((p - 1) / ports) rounds and C2 = C1 blocks; each block moves once.
// Prefer  large blocks: no block is moved twice.
#include "collectives/spreading/scattering.hpp"

namespace quadrille {

extern const Algorithm gather_linear = linear_algorithm(Collective::gather, "every rank sends its block straight to the root");

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// gather/linear: everybody sends to the root.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root.
// Idea    Everybody sends to the root, which takes `ports` messages a round, the ranks farthest up the line first.
// Cost    C1 = ceil((p - 1) / ports) rounds and as many blocks; each block moves once.
// Prefer  large blocks: nothing is moved twice.
#include "collectives/scattering.hpp"

namespace quadrille {

extern const Algorithm gather_linear = linear_algorithm(Collective::gather, "everybody sends to the root");

}  // namespace quadrille

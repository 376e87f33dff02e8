// SPDX-License-Identifier: BSD-3-Clause
// scan/chain: each rank receives from the rank below and sends to the rank above, in segments.
// Source  [grama2003] pipelining on a linear array; the linear scans of MPI libraries are this algorithm with one
//         segment.
// Needs   nothing: any p, any operator.
// Idea    A segment that arrives from below is combined with the rank's own vector and sent on, while the next segment
//         arrives.
// Cost    C1 = segments + p - 2 rounds of b / segments bytes each (p >= 2). For each segment a rank sends one message and
//         combines once, the least possible.
// Prefer  long vectors; many ranks on few cores; calls in quick succession, because the end of one call overlaps the
//         beginning of the next.
#include "collectives/reducing/prefix_algorithms.hpp"

namespace quadrille {

extern const Algorithm scan_chain = prefix_chain(Collective::scan);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// exscan/chain: everybody hears from the neighbour below and tells the one above, in segments.
// Source  [grama2003] pipelining on a linear array; the linear scans of MPI libraries are this with one segment.
// Needs   nothing: any p, any operator.
// Idea    What comes from below is combined with the own vector and passed on, while the next segment comes.
// Cost    C1 = segments + p - 2 rounds of b / segments bytes each (p >= 2): one message and one
//         combination a rank, the least there is.
// Prefer  many ranks on few cores, calls in quick succession (one call's end overlaps the next one's beginning), long vectors.
#include "collectives/prefix_programs.hpp"

namespace quadrille {

extern const Algorithm exscan_chain = prefix_chain(Collective::exscan);

}  // namespace quadrille

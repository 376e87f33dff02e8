// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/ring: each rank passes the shares that it receives from the left on to the right.
// Source  [grama2003] all-to-all broadcast on a ring.
// Needs   nothing: any p, shares of any size, which may be empty.
// Idea    In round t = 0 .. p-2 rank i sends the share of rank i - t to i + 1, and receives the share of rank
//         i - t - 1.
// Cost    C1 = p - 1 rounds; C2 = p - 1 times the largest share.
// Prefer  long shares of similar size, and networks on which consecutive ranks are close.
#include "collectives/spreading/gathering.hpp"

namespace quadrille {

extern const Algorithm allgatherv_ring{
    .collective = Collective::allgatherv,
    .id = "ring",
    .summary = "pass on to the right neighbour what was received from the left",
    .source = "grama2003",
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return gather_along_ring(problem, shares(analysis), me); },
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

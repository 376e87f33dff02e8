// SPDX-License-Identifier: BSD-3-Clause
// scan/hypercube: exchange partial results along the dimensions of a hypercube.
// Source  [grama2003] prefix sums on a hypercube.
// Needs   p a power of two; any operator, also along the fixed tree.
// Idea    Partners i ^ 1, i ^ 2, i ^ 4, .. exchange vectors combined over runs of ranks. The higher partner also
//         combines the received vector into its result. The result and the vector to send share memory until data
//         arrives from above. In the last round only the lower partners send.
// Cost    C1 = log2 p rounds, the fewest on one port; C2 = log2 p vectors.
// Prefer  p a power of two, short vectors.
#include "collectives/reducing/prefix_algorithms.hpp"

namespace quadrille {

extern const Algorithm scan_hypercube = prefix_hypercube(Collective::scan);

}  // namespace quadrille

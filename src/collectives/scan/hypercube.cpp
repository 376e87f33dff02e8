// SPDX-License-Identifier: BSD-3-Clause
// scan/hypercube: exchange what is combined so far along the dimensions of a hypercube.
// Source  [grama2003] prefix sums on a hypercube.
// Needs   p a power of two; any operator, also along the fixed tree.
// Idea    Partners i ^ 1, i ^ 2, i ^ 4, .. exchange vectors combined over runs of ranks; the upper one of the two combines what it
//         gets into its result, too, which is the same memory until something comes from above.
//         In the last round only the lower ones send.
// Cost    C1 = log2 p rounds, the fewest on one port; C2 = log2 p vectors.
// Prefer  powers of two, short vectors.
#include "collectives/prefix_programs.hpp"

namespace quadrille {

extern const Algorithm scan_hypercube = prefix_hypercube(Collective::scan);

}  // namespace quadrille

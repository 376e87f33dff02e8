// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/recursive-halving: exchange half of what you are responsible for, and combine the other half.
// Source  [grama2003] all-to-all reduction on a hypercube; in MPI libraries since Rabenseifner's reductions.
// Needs   p a power of two; with far partners first an operator that commutes.
// Idea    Partners i ^ m send each other what the other one's half of the ranks is to get. With m = 1, 2, 4, .. operands meet in
//         the order of ranks, and what is sent is every other block of what is left; with m = p/2, p/4, .. it is one run of memory.
// Cost    C1 = log2 p rounds; C2 = p - 1 blocks: both the least possible on one port.
// Prefer  powers of two, on links that carry both directions at once.
#include "collectives/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_recursive_halving = reduce_scatter_by_halving(Collective::reduce_scatter);

}  // namespace quadrille

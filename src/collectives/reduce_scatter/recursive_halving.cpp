// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/recursive-halving: in each round a rank sends half of its partial results to a partner, and combines
// the other half with the partial results that it receives.
// Source  [grama2003] all-to-all reduction on a hypercube; in MPI libraries since Rabenseifner's reductions.
// Needs   p a power of two; with far partners first an operator that commutes.
// Idea    Ranks i and i ^ m exchange: each sends the partial results for the ranks of the other's half. With
//         m = 1, 2, 4, .. operands are combined in the order of ranks, and every other remaining block is sent. With
//         m = p/2, p/4, .. each message is contiguous in memory.
// Cost    C1 = log2 p rounds; C2 = p - 1 blocks: both the least possible on one port.
// Prefer  p a power of two, on links that carry both directions at once.
#include "collectives/reducing/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_recursive_halving = reduce_scatter_by_halving(Collective::reduce_scatter);

}  // namespace quadrille

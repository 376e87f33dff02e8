// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/circulant: like recursive halving, but for any number of ranks: the distances are skips that halve p.
// Source  [traff2024] the reduce-scatter on circulant graphs.
// Needs   an operator that commutes; any p.
// Idea    The skips are 1 = s_0 < s_1 < .. < s_d = p, s_k = ceil(s_(k+1) / 2). In round k = d-1 .. 0, rank i sends its
//         partial results for the ranks i + s_k .. i + s_(k+1) - 1 (mod p) to rank i + s_k. From rank i - s_k it
//         receives partial results for itself and for the ranks directly above it, and combines them with its own.
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port.
// Prefer  any p on one port.
#include "collectives/reducing/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatter_circulant = reduce_scatter_by_skips(Collective::reduce_scatter);

}  // namespace quadrille

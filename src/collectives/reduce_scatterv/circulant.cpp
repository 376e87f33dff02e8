// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatterv/circulant: like recursive halving, but for any number of ranks: the distances are skips that halve p.
// Source  [traff2024] the reduce-scatter on circulant graphs.
// Needs   an operator that commutes; any p, shares of any size, which may be empty.
// Idea    The skips are 1 = s_0 < s_1 < .. < s_d = p, s_k = ceil(s_(k+1) / 2). In round k = d-1 .. 0 a rank sends its
//         partial results for the ranks s_k .. s_(k+1) - 1 above it to the rank s_k above. It combines what it receives
//         from below with its partial results for itself and for the ranks directly above it.
// Cost    C1 = ceil(log2 p) rounds, C2 = the sum over the rounds of the largest s_(k+1) - s_k consecutive shares.
// Prefer  any p on one port.
#include "collectives/reducing/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatterv_circulant = reduce_scatter_by_skips(Collective::reduce_scatterv);

}  // namespace quadrille

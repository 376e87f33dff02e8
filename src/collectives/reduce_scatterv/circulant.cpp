// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatterv/circulant: as recursive halving, for any number of ranks, along skips that halve p.
// Source  [traff2024] the reduce-scatter on circulant graphs.
// Needs   an operator that commutes; any p, shares of any size, also of none.
// Idea    With skips 1 = s_0 < s_1 < .. < s_d = p, s_k = ceil(s_(k+1) / 2): in round k = d-1 .. 0 a rank sends what it has for
//         the ranks s_k .. s_(k+1) - 1 above it to the rank s_k above, and combines what comes from below with what it has for
//         itself and those next above it.
// Cost    C1 = ceil(log2 p) rounds, C2 = the sum over the rounds of the largest s_(k+1) - s_k consecutive shares.
// Prefer  any p on one port.
#include "collectives/reduce_scattering.hpp"

namespace quadrille {

extern const Algorithm reduce_scatterv_circulant = reduce_scatter_by_skips(Collective::reduce_scatterv);

}  // namespace quadrille

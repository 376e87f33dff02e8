// SPDX-License-Identifier: BSD-3-Clause
// alltoall/one-factor: pairwise exchange for any p, both directions with one partner a round.
// Source  [sanders2002] section 2, flat machine.
// Needs   nothing.
// Idea    Round i is factor i of a 1-factorisation of the complete graph with self-loops: in the basic form rank u meets
//         (i - u) mod p. The concentrated form puts all self-loops of an even p in one factor, which then needs no round.
// Cost    basic: C1 = p rounds (p = 2: 1), of p - 1 blocks for a rank; concentrated: C1 = p - 1 for even p. C2 = C1 blocks.
// Prefer  large blocks on links that carry both directions at once, where p is no power of two.
#include "collectives/one_factor_exchange.hpp"

namespace quadrille {

// No symmetry is stated: a map f that keeps rounds has f(u) + f(v) = u + v (mod p) for all u and v, so it moves nobody, or for even
// p everybody by p / 2, which would halve the work at best.
extern const Algorithm alltoall_one_factor{
    .collective = Collective::alltoall,
    .id = "one-factor",
    .summary = "pairwise for any p: exchange with (i - u) mod p in round i",
    .source = "sanders2002, section 2",
    .parameters = {factor_parameter()},
    .generate = one_factor_exchange,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

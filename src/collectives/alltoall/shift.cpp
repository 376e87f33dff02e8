// SPDX-License-Identifier: BSD-3-Clause
// alltoall/shift: pairwise exchange for any p, one distance per round.
// Source  [grama2003] personalised exchange, shift pairwise; MPICH and Open MPI call it pairwise.
// Needs   nothing.
// Idea    In round d - 1, d = 1 .. p-1, rank i sends to i + d and receives from i - d. In each round every rank has one message
//         to send and one to receive.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks: the smallest volume on one port.
// Prefer  large blocks, if a rank should communicate with one partner at a time.
#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/saying.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

extern const Algorithm alltoall_shift{
    .collective = Collective::alltoall,
    .id = "shift",
    .summary = "pairwise: send to i+d, receive from i-d, one distance d per round",
    .picture =
        "Each round is one diagonal of the matrix of the traffic: every rank sends one message and receives one, so nobody has to "
        "queue. No byte travels twice; the price is p - 1 rounds, so it suits long blocks.",
    .source = "grama2003",
    .says =
        [](const Problem&, const Parameters&, Count round) {
          return fmt::format("Every rank sends 1 block straight to the rank {} further, for which it is", round + 1);
        },
    .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                   Rank me) { return exchange_by_distance(problem, 1, me); },
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

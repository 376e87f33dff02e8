// SPDX-License-Identifier: BSD-3-Clause
// alltoall/direct: every block is sent straight to its target, all in one round.
// Source  [grama2003] personalised exchange; the staggered order is that of the linear algorithms of MPI libraries.
// Needs   nothing.
// Idea    One round holds all p - 1 messages. Rank i lists its partners as i+1, i+2, .., so that no rank is the first
//         target of all others.
// Cost    C1 = 1 round per segment, on p - 1 ports; each block moves once.
// Prefer  medium and large blocks on a network that takes many messages at once; use segments if the network becomes
//         congested early.
#include <algorithm>

#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/saying.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate_direct(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  return exchange_in_segments(
      problem, parameters, [&](const Problem& part) { return exchange_by_distance(part, std::max<Count>(1, part.ranks - 1), me); });
}

}  // namespace

extern const Algorithm alltoall_direct{
    .collective = Collective::alltoall,
    .id = "direct",
    .summary = "every block straight to its target, all at once, in staggered order",
    .picture =
        "The whole matrix of the traffic fills in one round, except for its diagonal. No byte travels twice, but every rank starts "
        "p - 1 messages at once: with short blocks the start-ups cost more than the bytes, and some networks become congested.",
    .source = "grama2003",
    .parameters = {exchange_segments_parameter()},
    .says = [](const Problem& problem, const Parameters& parameters,
               Count) { return number(parameters, "segments") > 1 ? std::string() : says_straight_to_all(problem, "1 block"); },
    .generate = generate_direct,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
};

}  // namespace quadrille

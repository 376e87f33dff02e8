// SPDX-License-Identifier: BSD-3-Clause
// alltoall/xor: pairwise exchange for powers of two; each rank exchanges with one partner in each round.
// Source  [grama2003] personalised exchange on a hypercube with E-cube routing.
// Needs   p a power of two.
// Idea    In round d - 1, d = 1 .. p-1, ranks i and i ^ d exchange their blocks. On a hypercube no two messages share a
//         link.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks: the smallest volume on one port.
// Prefer  large blocks on links that carry both directions at once.
#include <algorithm>
#include <bit>

#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/saying.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate_xor(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const auto slot = [](Rank from, Rank to) { return from == to ? 0 : (from ^ to) - 1; };
  return exchange_by_timetable(problem, {{{"exchange", 0, std::max<Count>(1, problem.ranks - 1)}}, slot}, me);
}

Result<> xor_applies(const Problem& problem, const Parameters&) {
  if (std::has_single_bit(static_cast<std::uint64_t>(problem.ranks))) return {};
  return cannot("it pairs rank i with i ^ d and therefore needs a power of two, not " + std::to_string(problem.ranks) + " ranks");
}

}  // namespace

extern const Algorithm alltoall_xor{
    .collective = Collective::alltoall,
    .id = "xor",
    .summary = "pairwise: exchange with i ^ d, one d per round",
    .picture =
        "In each round the ranks form pairs, and the two of a pair exchange: the traffic of a round is its own mirror image. So "
        "both directions of a link are in use at once, and on a hypercube no two messages share a link.",
    .needs = "p a power of two",
    .source = "grama2003",
    .says =
        [](const Problem&, const Parameters&, Count round) {
          return fmt::format("Every rank swaps 1 block with the rank whose number is its own exclusive-or {}", round + 1);
        },
    .generate = generate_xor,
    .applies = xor_applies,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(exclusive_or_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

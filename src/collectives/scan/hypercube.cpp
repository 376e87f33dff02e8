// SPDX-License-Identifier: BSD-3-Clause
// scan/hypercube, exscan/hypercube: ranks exchange partial results along the dimensions of a hypercube.
// Source  [grama2003] prefix sums on a hypercube.
// Needs   p a power of two; any operator. Keeps to the fixed tree if required.
// Idea    Partners i ^ 1, i ^ 2, i ^ 4, .. exchange partial results, each over consecutive ranks. The higher partner also
//         combines the received vector into its result. In an exscan the result begins with the first vector that arrives from
//         below. In a scan, one piece of memory holds both the result and the vector to send, until data arrives from above. In
//         the last round only the lower partners send.
// Cost    C1 = log2 p rounds, the fewest on one port; C2 = log2 p vectors.
// Prefer  p a power of two, short vectors.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {
namespace {

Program generate_hypercube(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  PrefixBuilder prefixes(problem, me, "exchange");
  for (Count bit = 1; bit < problem.ranks; bit *= 2) {
    const Rank partner = me ^ bit;
    const bool last = 2 * bit == problem.ranks;
    prefixes.begin_round();
    if (!last || partner > me) prefixes.send(partner);
    if (partner < me) prefixes.receive_from_below(partner, !last);
    if (!last && partner > me) prefixes.receive_from_above(partner);
  }
  return std::move(prefixes).finish();
}

}  // namespace

Algorithm scan_hypercube(Collective collective) {
  return {
      .collective = collective,
      .id = "hypercube",
      .summary = "exchange partial results with i ^ 1, i ^ 2, i ^ 4, ..: the fewest rounds",
      .picture =
          "In round d ranks whose numbers differ in bit d exchange what they have combined, but in the last round only the lower "
          "one sends; only the upper one of the two also combines it with its result. It has the fewest rounds on one port, and "
          "only works if p is a power of two.",
      .needs = "p a power of two",
      .source = "grama2003",
      .generate = generate_hypercube,
      .applies = has_power_of_two_ranks,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = always_fixed_tree,
      .combining_rule = always_fixed_tree_rule,
  };
}

}  // namespace quadrille

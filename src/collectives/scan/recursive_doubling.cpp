// SPDX-License-Identifier: BSD-3-Clause
// scan/recursive-doubling, exscan/recursive-doubling: partners exchange their partial results in both directions.
// Source  [thakur2005]; Open MPI and MPICH use this algorithm for MPI_Scan and MPI_Exscan.
// Needs   nothing: any p, any operator; keeps to the fixed tree if required.
// Idea    In round i, ranks r and r ^ 2^i exchange their partial results, if both ranks exist. The higher rank also combines what
//         it receives into its result.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port; C2 = ceil(log2 p) vectors. hypercube sends half as many messages in
//         the last round.
// Prefer  never; a baseline: what MPI libraries do. distance-doubling sends to higher ranks only, in as many rounds.
#include "collectives/reducing/folding.hpp"

namespace quadrille {
namespace {

Program generate_recursive_doubling(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  PrefixBuilder prefixes(problem, me, "exchange");
  for (Count bit = 1; bit < problem.ranks; bit *= 2) {
    const Rank partner = me ^ bit;
    prefixes.begin_round();
    if (partner >= problem.ranks) continue;
    prefixes.send(partner);
    if (partner < me)
      prefixes.receive_from_below(partner, true);
    else
      prefixes.receive_from_above(partner);
  }
  return std::move(prefixes).finish();
}

}  // namespace

Algorithm scan_recursive_doubling(Collective collective) {
  return {
      .collective = collective,
      .id = "recursive-doubling",
      .summary = "exchange all that was combined with i ^ 1, i ^ 2, i ^ 4, .., in both directions, as MPI libraries do",
      .picture =
          "The messages that go downwards tell the lower rank of a pair the total of both, which it sends on in the next round. In "
          "the last round nobody needs them: distance-doubling takes as many rounds and only sends upwards. This algorithm is here "
          "to be compared with.",
      .source = "thakur2005",
      .generate = generate_recursive_doubling,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = always_fixed_tree,
      .combining_rule = always_fixed_tree_rule,
  };
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// scan/distance-doubling, exscan/distance-doubling: ranks send their partial results over distances 1, 2, 4, .. to higher ranks.
// Source  [hillis1986] prefix sums with messages over doubling distances.
// Needs   nothing: any p, any operator.
// Idea    Before the round of distance s a rank has combined the s vectors that end with its own. In the round it receives from
//         rank - s the combination of the s vectors before these, and takes it as the left operand. The vector that a rank sends
//         includes its own vector; the result of an exscan does not. So in an exscan a rank keeps two vectors from the second
//         round on.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port, and C2 = C1 vectors, which travel in one direction only.
// Prefer  short vectors, if p is not a power of two.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate_distance_doubling(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  PrefixBuilder prefixes(problem, me, "tell");
  for (Count distance = 1; distance < problem.ranks; distance *= 2) {
    prefixes.begin_round();
    if (me + distance < problem.ranks) prefixes.send(me + distance);
    if (me >= distance) prefixes.receive_from_below(me - distance, me + 2 * distance < problem.ranks);
  }
  return std::move(prefixes).finish();
}

// Operands are combined in the order of ranks. The brackets are those of the fixed tree only for few ranks.
Combining distance_doubling_combining(const Problem& problem, const Parameters&) {
  return problem.ranks <= (problem.collective == Collective::scan ? 2 : 4) ? Combining::fixed_tree : Combining::rank_order;
}

}  // namespace

Algorithm scan_distance_doubling(Collective collective) {
  return {
      .collective = collective,
      .id = "distance-doubling",
      .summary = "send the partial result to the rank s above, s = 1, 2, 4, ..: the fewest rounds, for any p",
      .picture =
          "In the rounds each rank sends to the rank 1, 2, 4, .. above, so the number of operands in its partial result doubles. "
          "All messages go upwards, and the upper ranks finish last; it has the fewest rounds for any number of ranks.",
      .source = "hillis1986",
      .says =
          [](const Problem& problem, const Parameters&, Count round) {
            const Count distance = Count{1} << round;
            return fmt::format("Each rank that has one so far above it sends what it has combined to the rank {} further: {}",
                               distance, counted(problem.ranks - distance, "message"));
          },
      .generate = generate_distance_doubling,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = distance_doubling_combining,
      .combining_rule = collective == Collective::scan ? "rank order; fixed tree if p <= 2" : "rank order; fixed tree if p <= 4",
      .tried_between_nodes = with_defaults,
  };
}

}  // namespace quadrille

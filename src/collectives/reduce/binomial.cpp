// SPDX-License-Identifier: BSD-3-Clause
// reduce/binomial: vectors are combined up a binomial tree.
// Source  [grama2003] all-to-one reduction, the reverse of the one-to-all broadcast.
// Needs   nothing: any p, any root, any operator; keeps to the fixed tree if required.
// Idea    broadcast/binomial backwards: a rank combines the vectors of its subtree and sends the result to its parent.
//         The ranks of a subtree are consecutive. If p is not a power of two and the root is not 0, some subtrees wrap around
//         from rank p - 1 to 0, so operands are not combined in the order of ranks. If the order matters, the tree of root 0 is
//         used, and rank 0 forwards the result to the root.
// Cost    C1 = d = ceil(log2 p) rounds, the fewest on one port; C2 = d vectors. Forwarding the result takes one more
//         round and one more vector.
// Prefer  short vectors.

#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "patterns/integers.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

bool runs_end_in_order(const Problem& problem) { return problem.root == 0 || is_power_of_two(problem.ranks); }

Program generate_binomial(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Bytes b = problem.block_bytes;
  const auto combined_at = [&](Rank root) {
    return reduced(broadcast_by_tree(position_of(BinomialTree(problem.ranks, root), "combine", me), b, me));
  };
  if (runs_end_in_order(problem) || required_combining(problem) == Combining::any_order) return combined_at(problem.root);
  return forwarded_to_root(problem, combined_at(0), 0);
}

Combining binomial_combining(const Problem& problem, const Parameters&) {
  return runs_end_in_order(problem) ? Combining::fixed_tree : as_asked_for(problem, {});
}

}  // namespace

extern const Algorithm reduce_binomial{
    .collective = Collective::reduce,
    .id = "binomial",
    .summary = "combine up a binomial tree: the fewest rounds",
    .picture =
        "Vectors flow up a tree: in each round half of the ranks that still have a partial result hand it over and are done. The "
        "colour shows how many operands a vector has. No algorithm has fewer rounds on one port, but a whole vector travels in "
        "each.",
    .source = "grama2003",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          if (round == ceil_log2(problem.ranks)) return std::string("The result is sent to the root");
          return fmt::format("Every second rank that still has a partial result hands it over, and is done: {}",
                             counted(senders_at_level(problem.ranks, round), "message"));
        },
    .generate = generate_binomial,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = binomial_combining,
    .combining_rule = "fixed tree, with one more round if p is not a power of two and the root is not 0",
    .tried_between_nodes = with_defaults,
};

}  // namespace quadrille

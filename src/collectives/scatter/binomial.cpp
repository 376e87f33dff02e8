// SPDX-License-Identifier: BSD-3-Clause
// scatter/binomial, scatterv/binomial, gather/binomial, gatherv/binomial: each message has the blocks of a whole subtree, and
// goes down (scatter) or up (gather) a binomial tree.
// Source  [grama2003] one-to-all personalised communication; a gather runs it backwards.
// Needs   nothing: any p, any root, shares of any size, which may be empty.
// Idea    Blocks go down the tree of broadcast/binomial: a rank receives the blocks of its whole subtree, including its own. In a
//         gather a rank collects the blocks of its subtree, then sends them all to its parent.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port if no share is empty. C2 = p - 1 blocks, the least; with shares, the
//         sum over the rounds of the largest subtree's shares.
// Prefer  small blocks, where the number of rounds dominates the time.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

Algorithm scatter_binomial(Collective collective) {
  return {
      .collective = collective,
      .id = "binomial",
      .summary = share_word(collective) + (is_gather(collective) ? "s collected up" : "s sent down") +
                 " a binomial tree, whole subtrees at a time: the fewest rounds",
      .picture =
          is_gather(collective)
              ? "In each round half of the ranks that still hold data pass all of it on and are done; with equal blocks the "
                "messages "
                "double. log2 p rounds, rounded up, are the fewest on one port; in return much of the data travels several times."
              : "The root first sends the data of half of the ranks to the first of them, which deals with it in the same way: "
                "with "
                "equal blocks messages halve from round to round. log2 p rounds, rounded up, are the fewest on one port; in return "
                "much of the data travels several times.",
      .source = "grama2003",
      .says =
          [](const Problem& problem, const Parameters&, Count round) {
            const Count level = is_gather(problem.collective) ? round : ceil_log2(problem.ranks) - 1 - round,
                        size = Count{1} << level;
            return fmt::format("{} of at most {}: {}", counted(senders_at_level(problem.ranks, level), "message"),
                               counted_shares(problem, std::min(size, problem.ranks - size)),
                               is_gather(problem.collective) ? "all that a subtree has gathered goes to the rank above it"
                                                             : "all for half of a subtree goes to its first rank");
          },
      .generate =
          [](const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
            const BinomialTree tree(problem.ranks, problem.root);
            return scatter_by_tree(problem, position_of(tree, stage_of_scattering(problem), me), shares(analysis), me);
          },
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .tried_between_nodes = with_defaults,
  };
}

}  // namespace quadrille

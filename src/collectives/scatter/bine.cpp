// SPDX-License-Identifier: BSD-3-Clause
// scatter/bine, scatterv/bine, gather/bine, gatherv/bine: each message has the blocks of a whole subtree, and goes down (scatter)
// or up (gather) a Bine tree.
// Source  [desensi2025] distance-halving Bine trees; a gather runs the scatter backwards.
// Needs   nothing: any p, any root, shares of any size, which may be empty.
// Idea    Blocks go down the tree of broadcast/bine, whose subtrees consist of consecutive ranks (mod p). A rank receives the
//         blocks of its whole subtree, including its own.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port if no share is empty. C2 = p - 1 blocks, the least; with shares, the
//         sum over the rounds of the largest subtree's shares.
// Prefer  small blocks on networks of groups with few links between them, with ranks in the order of the groups.
#include "patterns/bine.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

Algorithm scatter_bine(Collective collective) {
  return {
      .collective = collective,
      .id = "bine",
      .summary = share_word(collective) + (is_gather(collective) ? "s collected up" : "s sent down") +
                 " a tree whose children are about a third nearer than in the binomial tree",
      .picture = is_gather(collective) ? "Whole subtrees travel together up a tree with as many rounds as the binomial one, but "
                                         "with edges of the lengths 1, 1, 3, 5, .. instead of 1, 2, 4, 8, .. So fewer messages "
                                         "leave a group of neighbouring ranks, which matters where few links join the groups."
                                       : "Whole subtrees travel together down a tree with as many rounds as the binomial one, but "
                                         "with edges of the lengths .., 5, 3, 1, 1 instead of .., 8, 4, 2, 1. So fewer messages "
                                         "leave a group of neighbouring ranks, which matters where few links join the groups.",
      .source = "desensi2025",
      .generate =
          [](const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
            const std::string stage = stage_of_scattering(problem);
            return scatter_by_tree(problem, position_in_bine_tree(problem.ranks, problem.root, stage, me), shares(analysis), me);
          },
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

}  // namespace quadrille

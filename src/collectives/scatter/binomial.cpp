// SPDX-License-Identifier: BSD-3-Clause
// scatter/binomial: blocks dealt out down a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root.
// Idea    Down the tree of broadcast/binomial: with a rank's block come those of its whole subtree.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port; C2 = p - 1 blocks, the least.
// Prefer  small blocks, where the number of rounds rules.
#include "collectives/scattering.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  return scatter_by_binomial_tree(problem, shares(analysis), me);
}

}  // namespace

extern const Algorithm scatter_binomial{
    .collective = Collective::scatter,
    .id = "binomial",
    .summary = "blocks dealt out down a binomial tree, whole subtrees at a time: the fewest rounds",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

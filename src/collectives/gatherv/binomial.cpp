// SPDX-License-Identifier: BSD-3-Clause
// gatherv/binomial: shares collected up a binomial tree, whole subtrees at a time.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root, shares of any size, also of none.
// Idea    scatterv/binomial backwards: a rank collects the shares of its subtree, then hands them all to its parent.
// Cost    C1 = ceil(log2 p) rounds at most; C2 is the sum over the rounds of the largest subtree's shares.
// Prefer  small shares, where the number of rounds rules.
#include "collectives/scattering.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  return reversed(scatter_by_binomial_tree(problem, shares(analysis), me));
}

}  // namespace

extern const Algorithm gatherv_binomial{
    .collective = Collective::gatherv,
    .id = "binomial",
    .summary = "shares collected up a binomial tree, whole subtrees at a time: the fewest rounds",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// scatterv/linear: the root sends everybody their share.
// Source  [grama2003] one-to-all personalised communication.
// Needs   nothing: any p, any root, shares of any size, also of none.
// Idea    The root sends to root + 1, root + 2, .. in that order, `ports` messages a round.
// Cost    C1 = ceil((p - 1) / ports) rounds at most; each share moves once.
// Prefer  large shares: nothing is moved twice.
#include "collectives/scattering.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return scatter_from_root(problem, shares(analysis), number(parameters, "ports"), me);
}

}  // namespace

extern const Algorithm scatterv_linear{
    .collective = Collective::scatterv,
    .id = "linear",
    .summary = "the root sends everybody their share",
    .needs = "",
    .source = "grama2003",
    .parameters = {ports_of_root("messages that the root sends in a round")},
    .generate = generate,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// gather/linear: everybody sends to the root.
// Source  [grama2003] one-to-all personalised communication, run backwards.
// Needs   nothing: any p, any root.
// Idea    Everybody sends to the root, which takes `ports` messages a round, the ranks farthest up the line first.
// Cost    C1 = ceil((p - 1) / ports) rounds and as many blocks; each block moves once.
// Prefer  large blocks: nothing is moved twice.
#include "collectives/scattering.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return reversed(scatter_from_root(problem, shares(analysis), number(parameters, "ports"), me));
}

}  // namespace

extern const Algorithm gather_linear{
    .collective = Collective::gather,
    .id = "linear",
    .summary = "everybody sends to the root",
    .needs = "",
    .source = "grama2003",
    .parameters = {ports_of_root("messages that the root receives in a round")},
    .generate = generate,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/direct: all data is sent straight to its target, a window of messages at a time.
// Source  [grama2003] personalised exchange; the linear and scattered algorithms of MPI libraries, which also use a
//         window of 32.
// Needs   nothing: any counts.
// Idea    Rank i lists its partners as i+1, i+2, .., so that no rank is the first target of all others. A round holds the
//         messages to and from `window` partners. With a window of p-1 there is one round, with a message for each pair of ranks
//         that has data. Calls of alltoallv that make no plan run alltoallv/exchange instead.
// Cost    C1 = ceil((p-1)/window) rounds on `window` ports; each byte travels once.
// Prefer  balanced counts, or few partners, on a network that takes several messages at once.
#include <algorithm>

#include "collectives/exchange/direct_exchange.hpp"

namespace quadrille {
namespace {

Count others(const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); }

}  // namespace

extern const Algorithm alltoallv_direct{
    .collective = Collective::alltoallv,
    .id = "direct",
    .summary = "everything straight to its target, in staggered order, some messages at a time",
    .picture =
        "All data leaves in one round, in messages as long as the counts say. No byte travels twice and nobody deals anything out, "
        "so the rank that has the most to send or receive decides when all are done. Among more than 32 others, a rank has 32 "
        "messages under way at a time.",
    .source = "grama2003",
    .parameters = {{.name = "window",
                    .summary = "messages that a rank sends, and receives, in one round",
                    .standard = Count{32},
                    .least = 1,
                    .most = others,
                    .range = "1..max(1,p-1)",
                    .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
                      if (others(problem) <= 32) return {others(problem)};
                      return {Count{8}, Count{32}, others(problem)};
                    }}},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return exchange_by_distance(problem, number(parameters, "window"), me); },
    .needs_own_counts_only = true,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "window"); },
};

}  // namespace quadrille

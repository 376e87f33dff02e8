// SPDX-License-Identifier: BSD-3-Clause
// exscan/distance-doubling: tell the rank s above what is combined so far, s = 1, 2, 4, ..
// Source  [hillis1986] prefix sums with messages over doubling distances.
// Needs   nothing: any p, any operator.
// Idea    Before the round of distance s a rank has combined the s vectors up to its own. It gets those of the s ranks before
//         from the rank s below, in front of its own.
//         What it tells has its own vector and the result has not, so both are kept from the second round on.
// Cost    C1 = ceil(log2 p) rounds, the fewest on one port, and as many vectors, in one direction only.
// Prefer  short vectors, where p is no power of two.
#include "collectives/prefix_programs.hpp"

namespace quadrille {

extern const Algorithm exscan_distance_doubling{
    .collective = Collective::exscan,
    .id = "distance-doubling",
    .summary = "tell the rank s above what is combined so far, s = 1, 2, 4, ..: the fewest rounds, for any p",
    .needs = "",
    .source = "hillis1986",
    .parameters = {},
    .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                   Rank me) { return prefixes_by_doubling(problem, me); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = [](const Problem& problem,
                    const Parameters&) { return problem.ranks <= 4 ? Combining::fixed_tree : Combining::rank_order; },
    .combining_rule = "rank order; fixed tree where p <= 4",
};

}  // namespace quadrille

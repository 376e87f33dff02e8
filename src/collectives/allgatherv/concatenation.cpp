// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/concatenation: the concatenation algorithm for shares of any sizes.
// Source  [bruck1997] section 4; sizes that differ are our addition.
// Needs   nothing: any p, 1 <= ports <= max(1, p - 1), any sizes.
// Idea    As if all shares were as long as the longest; a part of a block stands for the same part, in proportion, of the
//         share that is there. Everybody knows all sizes, so no word is lost on them.
// Cost    C1 = ceil(log p / log(k+1)), C2 at most that of allgather with the longest share for a block, and equal to it
//         where all shares are equal.
// Prefer  short shares, where the number of rounds rules. One long share among short ones is better broadcast.
#include "collectives/concatenation.hpp"

namespace quadrille {

extern const Algorithm allgatherv_concatenation{
    .collective = Collective::allgatherv,
    .id = "concatenation",
    .summary = "tell all you know to k others a round; the last round is cut in proportion to the sizes",
    .source = "bruck1997, section 4",
    .parameters = concatenation::parameters(),
    .generate = concatenation::generate,
    .analyse = concatenation::analyse,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille

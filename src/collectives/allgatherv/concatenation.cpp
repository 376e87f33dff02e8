// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/concatenation: the concatenation algorithm for shares of any sizes.
// Source  [bruck1997] section 4; sizes that differ are our addition.
// Needs   nothing: any p, 1 <= ports <= max(1, p - 1), any sizes.
// Idea    The messages are planned for blocks that are as long as the longest share. A part of such a block stands for
//         the same fraction of the actual share. All ranks know all sizes, so no sizes are sent.
// Cost    C1 = ceil(log p / log(k+1)). C2 is at most the C2 of allgather with blocks as long as the longest share, and
//         equal to it if all shares are equal.
// Prefer  short shares, where the number of rounds dominates the time. If one share is long and the others are short,
//         broadcast the long share instead.
#include "collectives/spreading/concatenation.hpp"

namespace quadrille {

extern const Algorithm allgatherv_concatenation{
    .collective = Collective::allgatherv,
    .id = "concatenation",
    .summary = "send all shares held to k others in each round; the last is divided in proportion to the sizes",
    .source = "bruck1997, section 4",
    .parameters = concatenation::parameters(),
    .generate = concatenation::generate,
    .analyse = concatenation::analyse,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille

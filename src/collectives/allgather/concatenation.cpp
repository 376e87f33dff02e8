// SPDX-License-Identifier: BSD-3-Clause
// allgather/concatenation: in each round a rank sends all blocks that it has to k other ranks; the last round is
// divided byte by byte.
// Source  [bruck1997] section 4. docs/collectives/allgather.md lists the cases in which the last round cannot
//         be optimal.
// Needs   nothing: any p, 1 <= ports <= max(1, p - 1).
// Idea    After t rounds a rank has (k+1)^t blocks: its own and those of the ranks before it. It sends them to the k
//         ranks at the distances (k+1)^t, 2 (k+1)^t, .., k (k+1)^t. In the last round the missing blocks are divided
//         among the k ports byte by byte, by cutting a table of blocks and bytes.
// Cost    C1 = ceil(log p / log(k+1)), C2 = ceil(b (p - 1) / k): both the least possible, except for C2 with
//         k >= 3 ports and p just below a power of k + 1. In this case last=two-rounds reaches the least C2 with
//         one round more.
// Prefer  several ports; on one port circulant is just as good.
#include "collectives/spreading/concatenation.hpp"

namespace quadrille {

extern const Algorithm allgather_concatenation{
    .collective = Collective::allgather,
    .id = "concatenation",
    .summary =
        "send all blocks held to k others in each round; the last is divided byte by byte: fewest rounds, least volume on k ports",
    .source = "bruck1997, section 4",
    .parameters = concatenation::parameters(),
    .generate = concatenation::generate,
    .analyse = concatenation::analyse,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille

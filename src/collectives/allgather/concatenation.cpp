// SPDX-License-Identifier: BSD-3-Clause
// allgather/concatenation: in each round a rank sends all that it knows to k others; the last round is divided byte by
// byte.
// Source  [bruck1997] section 4; the cases in which the last round cannot be optimal are in
//         docs/collectives/allgather.md.
// Needs   nothing: any p, 1 <= ports <= max(1, p - 1).
// Idea    A rank that knows (k+1)^t blocks, its own and those of the ranks before it, sends them to k ranks at
//         multiples of that distance. In the last round the missing blocks are divided among the k ports byte by byte,
//         by cutting a table of blocks and bytes.
// Cost    C1 = ceil(log p / log(k+1)), C2 = ceil(b (p - 1) / k): both the least possible, except for C2 with k >= 3
//         ports and p just below a power of k + 1; there last=two-rounds has the least C2 with one round more.
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

// SPDX-License-Identifier: BSD-3-Clause
// allgather/concatenation: every rank tells all it knows to k others a round, and the last round is cut to the byte.
// Source  [bruck1997] section 4; where the last round cannot be optimal, and by how much: docs/algorithms.md.
// Needs   nothing: any p, 1 <= ports <= max(1, p - 1).
// Idea    Who knows (k+1)^t blocks, his own and those before him, sends them to k ranks at multiples of that distance. What is
//         missing in the end is shared out to the k ports byte by byte, by cutting a table of blocks and bytes.
// Cost    C1 = ceil(log p / log(k+1)), C2 = ceil(b (p - 1) / k): both the least possible, except for C2 with k >= 3 ports and p
//         just below a power of k + 1; there last=two-rounds has the least C2 in one round more.
// Prefer  several ports, or ranks that are no power of two; on one port circulant is its equal.
#include "collectives/concatenation.hpp"

namespace quadrille {

extern const Algorithm allgather_concatenation{
    .collective = Collective::allgather,
    .id = "concatenation",
    .summary = "tell all you know to k others a round; the last round is cut to the byte: least rounds and volume on k ports",
    .source = "bruck1997, section 4",
    .parameters = concatenation::parameters(),
    .generate = concatenation::generate,
    .analyse = concatenation::analyse,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/two-phase-bruck: store and forward by the digits of the distance; sizes are sent ahead of the data.
// Source  [fan2022], two-phase non-uniform Bruck; other radices are our addition.
// Needs   nothing: any counts; a rank knows only its own.
// Idea    As alltoall/bruck without rotations: in each round, blocks move by one digit of their distances. In each round the
//         sizes of the blocks are sent first and then the blocks, without padding.
// Cost    radix 2: C1 <= ceil(log2 p) rounds; a block travels once for each non-zero digit of its distance. Control: 8
//         bytes for each block and hop.
// Prefer  short counts, where the number of rounds dominates the time.
#include "collectives/slices/uneven_bruck.hpp"

namespace quadrille {

extern const Algorithm alltoallv_two_phase_bruck{
    .collective = Collective::alltoallv,
    .id = "two-phase-bruck",
    .summary = "store and forward by the digits of the distance, with sizes ahead of the data: few rounds, more volume",
    .picture =
        "Blocks move as with Bruck, once for each 1 in their distance, and each round has two messages: first the sizes of the "
        "blocks, then the blocks. About log2 p rounds of data suit short counts. No rank needs to know more than its own counts.",
    .source = "fan2022",
    .parameters = {uneven_bruck_radix()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return uneven_bruck(problem, number(parameters, "radix"), Overhead::sizes, me); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

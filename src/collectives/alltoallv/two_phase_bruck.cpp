// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/two-phase-bruck: store and forward by the digits of the distance; sizes go ahead of the data.
// Source  [fan2022], two-phase non-uniform Bruck; any radix is our addition.
// Needs   nothing: any sizes, known to nobody but those who have them.
// Idea    As alltoall/bruck without rotations: a block goes digit by digit. In each round the sizes of the blocks go first,
//         then the blocks, whose bytes are all that is moved.
// Cost    radix 2: C1 <= ceil(log2 p) rounds; a block travels once for each digit of its distance that is not 0. Control: 8
//         bytes a block and hop.
// Prefer  short counts, where the number of rounds rules.
#include "collectives/uneven_bruck.hpp"

namespace quadrille {

extern const Algorithm alltoallv_two_phase_bruck{
    .collective = Collective::alltoallv,
    .id = "two-phase-bruck",
    .summary = "store and forward by the digits of the distance, sizes ahead of the data: few rounds, more volume",
    .source = "fan2022",
    .parameters = {uneven_bruck_radix()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return uneven_bruck(problem, number(parameters, "radix"), Overhead::sizes, me); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

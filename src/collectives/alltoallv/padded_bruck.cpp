// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/padded-bruck: store and forward by the digits of the distance; all blocks are made as long as the longest.
// Source  [fan2022], padded Bruck; any radix is our addition.
// Needs   nothing: any sizes, known to nobody but those who have them.
// Idea    All ranks agree on the longest count; then it is alltoall/bruck with blocks of that length. What pads a block is
//         nobody's data: it is counted as control, and C2 is that of the data.
// Cost    radix 2: C1 <= ceil(log2 p) rounds of data after as many of agreement; each message, padding and all, of at most
//         floor(p/2) times the longest count.
// Prefer  very short counts of about equal length.
#include "collectives/uneven_bruck.hpp"

namespace quadrille {

extern const Algorithm alltoallv_padded_bruck{
    .collective = Collective::alltoallv,
    .id = "padded-bruck",
    .summary = "agree on the longest, pad everything to that, then store and forward by the digits of the distance",
    .source = "fan2022",
    .parameters = {uneven_bruck_radix()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return uneven_bruck(problem, number(parameters, "radix"), Overhead::padding, me); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

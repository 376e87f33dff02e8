// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/padded-bruck: store and forward by the digits of the distance; all blocks are padded to the length of the
// longest.
// Source  [fan2022], padded Bruck; other radices are our addition.
// Needs   nothing: any counts; a rank knows only its own.
// Idea    All ranks agree on the longest count. Then they run alltoall/bruck with blocks of that length. Padding carries no data:
//         it is counted as control bytes, and C2 counts the data only.
// Cost    radix 2: C1 <= ceil(log2 p) rounds of data, after as many rounds of agreement. Each message, including
//         padding, has at most floor(p/2) times the longest count.
// Prefer  very short counts of about equal length.
#include "collectives/slices/uneven_bruck.hpp"

namespace quadrille {

extern const Algorithm alltoallv_padded_bruck{
    .collective = Collective::alltoallv,
    .id = "padded-bruck",
    .summary = "agree on the longest count, pad all blocks to it, then store and forward by the digits of the distance",
    .picture =
        "First all ranks agree on the longest count. Then every block travels as with Bruck, padded to that length, and no sizes "
        "have to be sent. Padding is counted as control data: with uneven counts there may be more of it than of data.",
    .source = "fan2022",
    .parameters = {uneven_bruck_radix()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return uneven_bruck(problem, number(parameters, "radix"), Overhead::padding, me); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille

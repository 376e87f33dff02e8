// SPDX-License-Identifier: BSD-3-Clause
// broadcast/circulant: the pipeline with the fewest rounds possible on one port, for any p.
// Source  [traff2024broadcast] section 2; other roots by renumbering.
// Needs   nothing: any p, any root, 1 <= segments <= max(1, elements of the vector).
// Idea    In each round k rank r receives from r - s_k and sends to r + s_k, where the skips s halve p again and again. Each rank
//         has a short table that says which segment it receives in round k. After d rounds the same table is used again, with
//         segment numbers larger by d. A sender looks in its receiver's table for the segment that it has to send.
// Cost    C1 = segments - 1 + d rounds, d = ceil(log2 p), of b / segments bytes each: the fewest for this number of
//         segments. The default is the optimum sqrt((d - 1) b tw / ts), where tw is the time per byte and ts the
//         start-up, for a machine on which a start-up costs as much as 8 KiB (see shares.hpp).
// Prefer  medium and long vectors.
#include "collectives/spreading/spreading.hpp"

namespace quadrille {

extern const Algorithm broadcast_circulant{
    .collective = Collective::broadcast,
    .id = "circulant",
    .summary = "a pipeline of segments over a circulant graph, in the fewest rounds possible",
    .picture =
        "Each segment of the vector takes another tree through the ranks, and the trees fit together so that, with many segments, "
        "every rank receives and sends in nearly every round. Only log2 p - 1 rounds are added to the number of segments, the "
        "fewest possible, for any number of ranks. Here the vector is short, so there is one segment: the number of ranks that "
        "have it doubles.",
    .source = "traff2024broadcast, section 2",
    .parameters = {segments_of_skips()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return broadcast_by_skips(problem, number(parameters, "segments"), "broadcast", me); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .tried_between_nodes = [](const Problem&) -> std::vector<std::string_view> { return {"segments=16"}; },
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// reduce/circulant: the pipeline with the fewest rounds possible on one port, for any p.
// Source  [traff2024broadcast] section 2, the broadcast with all messages reversed.
// Needs   an operator that commutes; any p, any root, 1 <= segments <= max(1, elements of the vector).
// Idea    broadcast/circulant backwards: each rank sends each segment once, after it has combined its own segment with
//         all partial results that it receives for this segment.
// Cost    C1 = segments - 1 + d rounds, d = ceil(log2 p), of b / segments bytes each. The default is the optimum
//         sqrt((d - 1) b tw / ts), where tw is the time per byte and ts the start-up, for a machine on which a start-up costs as
//         much as 8 KiB (see shares.hpp).
// Prefer  medium and long vectors.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

extern const Algorithm reduce_circulant{
    .collective = Collective::reduce,
    .id = "circulant",
    .summary = "a pipeline of segments over a circulant graph, in the fewest rounds possible",
    .picture =
        "It is the broadcast of the same name, backwards: each segment flows to the root along another tree, and with many "
        "segments every rank combines in nearly every round. Only log2 p - 1 rounds are added to the number of segments, the "
        "fewest possible. Here the vector is short, so there is one segment, and in each round half of the ranks that still take "
        "part hand it over.",
    .source = "traff2024broadcast, section 2",
    .parameters = {segments_of_skips()},
    .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                   Rank me) { return reduced(broadcast_by_skips(problem, number(parameters, "segments"), "combine", me)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
    .tried_between_nodes = [](const Problem&) -> std::vector<std::string_view> {
      return {"", "segments=16"};
    },
};

}  // namespace quadrille

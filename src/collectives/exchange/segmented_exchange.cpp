// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/exchange/segmented_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/segments.hpp"
#include "foundation/assert.hpp"
#include "quadrille/program_builder.hpp"
#include "schedule/regions.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
Parameter exchange_segments_parameter() {
  Parameter segments = segments_parameter(nullptr, "");
  segments.summary = "segments into which blocks are cut: all first segments are exchanged, then all second segments, and so on";
  segments.standard = Count{1};
  // Segments of 64 KiB stay in the caches.
  segments.worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
    const Count count = problem.block_bytes / (Bytes{1} << 16);
    if (count < 2 || count > most_segments_by_default) return {Count{1}};
    return {Count{1}, count};
  };
  return segments;
}

Program exchange_in_segments(const Problem& problem, const Parameters& parameters,
                             const std::function<Program(const Problem&)>& generate) {
  const Count segments = number(parameters, "segments");
  if (segments == 1) return generate(problem);
  check_operations(segments, std::max<Count>(1, problem.ranks - 1));
  Program whole;
  for (Count i = 0; i < segments; ++i) {
    const Region cut = segment(Buffer::input, problem, segments, i);
    Problem of_segment = problem;
    of_segment.block_bytes = cut.length;
    const auto place = [&](Regions& regions) {
      for (Region& region : regions) {
        QUADRILLE_ASSERT(region.levels == (std::array<Level, 3>{}) && region.offset % cut.length + region.length <= cut.length);
        region.offset = region.offset / cut.length * problem.block_bytes + cut.offset + region.offset % cut.length;
      }
    };
    Program program = generate(of_segment);
    const Count before = round_count(whole);
    whole.rank = program.rank;
    for (Stage& stage : program.stages)
      whole.stages.push_back(
          {fmt::format("{}, segment {} of {}", stage.name, i + 1, segments), stage.first_round + before, stage.round_count});
    for (Round& round : program.rounds) {
      round.number += before;
      for_all_regions(round, place);
      whole.rounds.push_back(std::move(round));
    }
  }
  return whole;
}

}  // namespace quadrille

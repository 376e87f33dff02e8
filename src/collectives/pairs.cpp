// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/pairs.hpp"

#include <algorithm>

#include "quadrille/traffic.hpp"

namespace quadrille {

std::vector<Pair> pairs_of(const Problem& problem) {
  std::vector<Pair> pairs;
  std::vector<Bytes> arrived(static_cast<std::size_t>(problem.ranks), 0);
  const Traffic traffic(problem);
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : traffic.sent_by(from)) {
      Bytes& output_offset = arrived[static_cast<std::size_t>(share.peer)];
      pairs.push_back({from, share.peer, share.bytes, share.offset, output_offset});
      output_offset += share.bytes;
    }
  return pairs;
}

void append(Regions& regions, const Region& region) {
  if (region.length == 0) return;
  if (!regions.empty() && regions.back().buffer == region.buffer && regions.back().offset + regions.back().length == region.offset)
    regions.back().length += region.length;
  else
    regions.push_back(region);
}

Regions folded(const Regions& regions) {
  const auto repeats_at_most_inside = [](const Region& region) {
    return region.levels[1] == Level{} && region.levels[2] == Level{};
  };
  Regions few;
  for (const Region& region : regions) {
    if (!few.empty() && few.back().buffer == region.buffer && few.back().length == region.length &&
        repeats_at_most_inside(few.back()) && region.levels == std::array<Level, 3>{}) {
      Level& level = few.back().levels[0];
      const Bytes distance = region.offset - few.back().offset;
      if (level.count == 1) level.stride = distance;
      if (distance == level.count * level.stride) {
        ++level.count;
        continue;
      }
    }
    few.push_back(region);
  }
  return few;
}

Parameter grain_parameter() {
  return {.name = "grain",
          .summary =
              "bytes that are not cut: a larger grain makes longer pieces and less balance, much less where messages have "
              "fewer grains than there are ranks",
          // A line of cache, which costs as much to copy as a byte does. The same whatever the counts: with `counts=headers` no
          // rank knows them all. So 64 ranks that send 1 KiB to one rank each cut it into 16 shares only: C2 of two-phase is 8,064
          // B, and with a grain of 1 it is 2,016 B.
          .standard = Count{64},
          .least = 1,
          .most = [](const Problem&) { return Bytes{1} << 30; },
          .range = "1..2^30"};
}

}  // namespace quadrille

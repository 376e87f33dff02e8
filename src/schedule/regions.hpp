// SPDX-License-Identifier: BSD-3-Clause
// Loops over the regions of a round, and over the bytes of a list of regions.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Calls visit(regions) for each list of regions in a round: those of local operations, of sends and of receives. The round may be
// const.
template <class AnyRound, class Visit>
void for_all_regions(AnyRound& round, Visit&& visit) {
  for (auto& local : round.locals) {
    visit(local.source);
    visit(local.target);
  }
  for (auto& message : round.sends) visit(message.regions);
  for (auto& message : round.receives) visit(message.regions);
}

// Calls visit(buffer, offset, length) for each contiguous run, in order. Unlike for_each_run (schedule.hpp) it merges a run with
// the next one if that begins where it ends, also across regions.
template <class Visit>
void for_each_merged_run(const Regions& regions, Visit&& visit) {
  Buffer buffer{};
  Bytes begin = 0, length = 0;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes more) {
      if (length > 0 && buffer == region.buffer && begin + length == offset) {
        length += more;
        return;
      }
      if (length > 0) visit(buffer, begin, length);
      buffer = region.buffer, begin = offset, length = more;
    });
  if (length > 0) visit(buffer, begin, length);
}

// Returns the merged runs as regions. Lists of regions with the same bytes in the same order then compare as equal.
inline Regions merged_runs(const Regions& regions) {
  Regions runs;
  for_each_merged_run(regions, [&](Buffer buffer, Bytes offset, Bytes length) { runs.push_back({buffer, offset, length, {}}); });
  return runs;
}

}  // namespace quadrille

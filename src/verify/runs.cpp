// SPDX-License-Identifier: BSD-3-Clause
#include "verify/runs.hpp"

#include <algorithm>
#include <tuple>

namespace quadrille {
namespace {

std::optional<Region> common(const Run& a, const Run& b) {
  const Bytes first = std::max(a.first, b.first), last = std::min(a.last, b.last);
  return a.buffer == b.buffer && first < last ? std::optional(Region{a.buffer, first, last - first, {}}) : std::nullopt;
}

}  // namespace

std::vector<Run> sorted_runs(const Regions& regions) {
  std::vector<Run> runs;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) { runs.push_back({region.buffer, offset, offset + length}); });
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return std::tie(a.buffer, a.first) < std::tie(b.buffer, b.first); });
  return runs;
}

std::optional<Region> repeated(const std::vector<Run>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (const auto both = common(runs[i - 1], runs[i])) return both;
  return std::nullopt;
}

std::optional<Region> shared(const std::vector<Run>& reads, const std::vector<Run>& writes) {
  for (const Run& read : reads) {
    const auto after = std::partition_point(writes.begin(), writes.end(), [&](const Run& write) {
      return std::tie(write.buffer, write.last) <= std::tie(read.buffer, read.first);
    });
    if (after != writes.end())
      if (const auto both = common(read, *after)) return both;
  }
  return std::nullopt;
}

}  // namespace quadrille

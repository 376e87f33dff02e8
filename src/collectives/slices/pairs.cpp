// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/pairs.hpp"
#include "collectives/worth_trying.hpp"

#include <algorithm>
#include <numeric>

#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

bool is_contiguous(const Region& region) { return region.levels == std::array<Level, 3>{}; }

}  // namespace

std::vector<Pair> pairs_of(const Problem& problem) {
  std::vector<Pair> pairs;
  ByRank<Bytes> arrived(problem.ranks, 0);
  const Traffic traffic(problem);
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : traffic.sent_by(from)) {
      Bytes& output_offset = arrived[share.peer];
      pairs.push_back({from, share.peer, share.bytes, share.offset, output_offset});
      output_offset += share.bytes;
    }
  return pairs;
}

PairsByTarget::PairsByTarget(const Problem& problem) : starts_(index(problem.ranks) + 1, 0) {
  const std::vector<Pair> by_source = pairs_of(problem);
  for (const Pair& pair : by_source) ++starts_[index(pair.target) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  pairs_.resize(by_source.size());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (const Pair& pair : by_source) pairs_[next[index(pair.target)]++] = pair;
}

std::span<const Pair> PairsByTarget::of(Rank target) const {
  const std::size_t first = starts_[index(target)], last = starts_[index(target) + 1];
  return std::span(pairs_).subspan(first, last - first);
}

void append(Regions& regions, const Region& region) {
  if (region.length == 0) return;
  const auto goes_on = [&](const Region& last) {
    return last.buffer == region.buffer && last.offset + last.length == region.offset && is_contiguous(last) &&
           is_contiguous(region);
  };
  if (!regions.empty() && goes_on(regions.back()))
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
        repeats_at_most_inside(few.back()) && is_contiguous(region)) {
      Level& level = few.back().levels[0];
      const Bytes distance = region.offset - few.back().offset;
      if (level.count == 1 && distance != 0) level.stride = distance;
      if (distance != 0 && distance == level.count * level.stride) {  // a shared block may be read twice
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
          .summary = "data is cut into units of this many bytes; larger units make longer pieces but less balance",
          // The default is a cache line, which costs as much to copy as one byte. It does not depend on the counts,
          // because with `counts=headers` no rank knows all of them.
          .standard = Count{64},
          .least = 1,
          .most = [](const Problem&) { return Bytes{1} << 30; },
          .range = "1..2^30",
          .worth_trying = grains_worth_trying};
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace quadrille {

Shares::Shares(const Problem& problem) : ranks_(problem.ranks), block_bytes_(problem.block_bytes) {
  if (!is_irregular(problem.collective)) return;
  sums_.resize(problem.counts->size() + 1, 0);
  std::partial_sum(problem.counts->begin(), problem.counts->end(), sums_.begin() + 1);
}

Bytes Shares::bytes(RankRange range) const {
  const Count end = range.first + range.count;
  return end <= ranks_ ? before(end) - before(range.first) : before(ranks_) - before(range.first) + before(end - ranks_);
}

Regions Shares::of(Buffer buffer, RankRange range) const {
  const Count end = range.first + range.count;
  const auto run = [&](Rank first, Rank last) { return Region{buffer, before(first), before(last) - before(first), {}}; };
  if (end <= ranks_) return {run(range.first, end)};
  return {run(range.first, ranks_), run(0, end - ranks_)};
}

std::shared_ptr<const Analysis> Shares::analyse(const Problem& problem, const Parameters&) {
  return std::make_shared<Shares>(problem);
}

Count best_segment_count(Count pipe, Bytes bytes) {
  // The number of start-ups that cost as much as sending all bytes.
  const double startups = static_cast<double>(bytes) / static_cast<double>(nominal_startup_bytes);
  const double best = std::sqrt(static_cast<double>(pipe) * startups);
  return std::llround(std::min(best, static_cast<double>(most_segments_by_default)));
}

namespace {

// Segments of about 4, 16, 64 and 256 KiB.
std::vector<ParameterValue> segments_worth_trying(const Problem& problem, const Parameters&) {
  std::vector<ParameterValue> counts{Count{1}};
  for (Bytes bytes = Bytes{1} << 18; bytes >= Bytes{1} << 12; bytes /= 4)
    if (const Count count = problem.block_bytes / bytes;
        count > 1 && count <= std::min(most_segments_by_default, problem.block_bytes / problem.element_bytes))
      counts.emplace_back(count);
  return counts;
}

}  // namespace

Parameter segments_parameter(ParameterValue (*standard_for)(const Problem&, const Parameters&), std::string_view standard_rule) {
  return {.name = "segments",
          .summary = "parts into which the vector is cut; they are sent as a pipeline",
          .standard_for = standard_for,
          .standard_rule = standard_rule,
          .least = 1,
          .most = [](const Problem& problem) { return std::max<Count>(1, problem.block_bytes / problem.element_bytes); },
          .range = "1..max(1,elements)",
          .worth_trying = segments_worth_trying};
}

}  // namespace quadrille

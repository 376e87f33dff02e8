// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/shares.hpp"

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

}  // namespace quadrille

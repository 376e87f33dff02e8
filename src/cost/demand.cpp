// SPDX-License-Identifier: BSD-3-Clause
#include "cost/demand.hpp"

#include <algorithm>
#include <tuple>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_needs = std::size_t{1} << 22;

}  // namespace

Demand::Demand(const Problem& problem) : ranks_(problem.ranks) {
  const bool reduces = is_reduction(problem.collective);
  const auto add = [&](const Need& need) {
    if (need.first == need.last && need.first == need.target) return;
    if (needs_.size() == most_needs)
      throw Error(ErrorCode::too_large, "bounds with certificates are computed for at most four million blocks; name fewer ranks");
    needs_.push_back(need);
  };
  for (Rank target = 0; target < ranks_; ++target) {
    if (!moves_data(problem.collective)) add({-1, 0, 0, 0, ranks_ - 1, target});  // a barrier: all need to know of all
    for (const ExpectedPiece& piece : expected_output(problem, target))
      if (piece.length > 0) add({reduces ? -1 : piece.first, piece.input_offset, piece.length, piece.first, piece.last, target});
  }
  std::sort(needs_.begin(), needs_.end(), [](const Need& a, const Need& b) {
    return std::tie(a.from, a.offset, a.last, a.target) < std::tie(b.from, b.offset, b.last, b.target);
  });
  for_each_vector([](std::span<const Need> needs) {
    for (const Need& need : needs) QUADRILLE_ASSERT(need.first == needs[0].first && need.bytes == needs[0].bytes);
  });
}

Fraction::Wide Demand::leaving(const std::vector<bool>& inside) const {
  std::vector<Count> below(index(ranks_) + 1);  // by rank: how many lower ranks are inside
  for (Rank rank = 0; rank < ranks_; ++rank) below[index(rank) + 1] = below[index(rank)] + (inside[index(rank)] ? 1 : 0);
  Fraction::Wide sum = 0;
  for_each_vector([&](std::span<const Need> needs) {
    Count operands = 0;  // of the largest combination so far
    for (const Need& need : needs) {
      if (inside[index(need.target)]) continue;
      const Count own = below[index(need.last) + 1] - below[index(need.first)];
      if (own > operands) operands = own, sum += need.bytes;
    }
  });
  return sum;
}

}  // namespace quadrille

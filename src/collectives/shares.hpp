// SPDX-License-Identifier: BSD-3-Clause
// Where the shares of the ranks lie in a buffer that holds them all, in rank order without gaps: for regular collectives by
// multiplication, for irregular ones by sums that are made once for all ranks.
#pragma once

#include "patterns/binomial.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class Shares : public Analysis {
 public:
  explicit Shares(const Problem& problem);

  Bytes before(Rank rank) const { return sums_.empty() ? rank * block_bytes_ : sums_[index(rank)]; }
  Bytes of(Rank rank) const { return before(rank + 1) - before(rank); }

  Bytes bytes(RankRange range) const;  // of a range, round the end
  Region of(Buffer buffer, Rank rank) const { return {buffer, before(rank), of(rank), {}}; }
  Regions of(Buffer buffer, RankRange range) const;  // at most two regions

  // For Algorithm::analyse.
  static std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&);

 private:
  Count ranks_;
  Bytes block_bytes_;
  std::vector<Bytes> sums_;  // irregular: p + 1 of them
};

inline const Shares& shares(const Analysis* analysis) { return static_cast<const Shares&>(*analysis); }

}  // namespace quadrille

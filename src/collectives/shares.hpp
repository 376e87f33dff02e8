// SPDX-License-Identifier: BSD-3-Clause
// The share of each rank in a buffer that holds the shares of all ranks, in rank order and without gaps. Offsets are
// products for regular collectives. For irregular ones they are prefix sums, computed once for all ranks.
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

  Bytes bytes(RankRange range) const;  // of a range, which may wrap around from rank p - 1 to 0
  Region of(Buffer buffer, Rank rank) const { return {buffer, before(rank), of(rank), {}}; }
  Regions of(Buffer buffer, RankRange range) const;  // at most two regions

  // To be used as Algorithm::analyse.
  static std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&);

 private:
  Count ranks_;
  Bytes block_bytes_;
  std::vector<Bytes> sums_;  // irregular collectives: p + 1 prefix sums; else empty
};

// What texts call the part of the data that is one rank's.
inline std::string share_word(Collective collective) { return is_irregular(collective) ? "share" : "block"; }

inline const Shares& shares(const Analysis* analysis) { return static_cast<const Shares&>(*analysis); }

}  // namespace quadrille

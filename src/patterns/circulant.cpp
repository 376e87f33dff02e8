// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/circulant.hpp"

#include <algorithm>
#include <limits>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// Writes r as a sum of skips, chosen greedily from the largest down, and returns the index of the smallest skip in the sum.
Count smallest_skip_of(const std::vector<Count>& skips, Count r) {
  Count last = size(skips) - 1;
  while (r > 0) {
    while (skips[index(last)] > r) --last;
    r -= skips[index(last)];
  }
  return last;
}

// Computes the receive row of rank r, as in [traff2024broadcast]: a depth-first search over sums of skips, starting at rank 0
// with the largest skip. In round k rank r receives from r - s_k. For this round the search looks for a sum y of skips with
// p + r - s_{k+1} < y <= p + r - s_k, and accepts the smallest skip e of the sum, because the segment that belongs to e has
// reached rank r - s_k before this round. Each e is accepted once.
class RowSearch {
 public:
  RowSearch(const std::vector<Count>& skips, Rank r)
      : skips_(skips),
        depth_(size(skips) - 1),
        own_(r == 0 ? depth_ : smallest_skip_of(skips, r)),
        target_(skips.back() + r),
        last_(2 * skips.back()),
        alive_(skips.size(), true) {
    alive_[index(own_)] = false;
  }

  std::vector<Count> run() && {
    walk(0, depth_);
    QUADRILLE_ASSERT(found() == depth_);
    // Turns the entries into numbers of segments. An entry equal to depth_ stands for the segment of this phase, whose number is
    // the index of the rank's own skip. All other segments belong to the previous phase, so their numbers are smaller by d.
    for (Count& entry : row_) entry = entry == depth_ ? own_ : entry - depth_;
    return std::move(row_);
  }

 private:
  Count found() const { return size(row_); }
  Count skip(Count k) const { return skips_[index(k)]; }

  void walk(Count x, Count e) {
    for (; e >= 0; --e) {
      const Count y = x + skip(e);
      if (!alive_[index(e)] || found() >= depth_ || y > target_ - skip(found()) || y >= last_) continue;
      if (y <= target_ - skip(found() + 1)) walk(y, e);
      if (found() >= depth_ || x > target_ - skip(found() + 1)) return;
      last_ = y;
      row_.push_back(e);
      alive_[index(e)] = false;
    }
  }

  const std::vector<Count>& skips_;
  const Count depth_, own_, target_;
  Count last_;
  std::vector<bool> alive_;
  std::vector<Count> row_;
};

}  // namespace

std::vector<Count> circulant_skips(Count p) {
  std::vector<Count> skips{p};
  while (skips.back() > 1) skips.push_back(ceil_divide(skips.back(), 2));
  std::reverse(skips.begin(), skips.end());
  return skips;
}

std::vector<Count> circulant_receive_row(const std::vector<Count>& skips, Rank r) { return RowSearch(skips, r).run(); }

CirculantReceipts::CirculantReceipts(const std::vector<Count>& skips, Rank r, Count segments)
    : segments_(segments),
      depth_(size(skips) - 1),
      start_((depth_ - (segments - 1) % depth_) % depth_),
      is_root_(r == 0),
      row_(circulant_receive_row(skips, r)) {
  // Finds the first round in which the last segment arrives. Entry k grows by d in each phase. It brings the last segment in the
  // first phase in which the entry is at least the number of the last segment.
  last_arrival_ = std::numeric_limits<Count>::max();
  for (Count k = 0; k < depth_; ++k) {
    const Count missing = segments_ - 1 + start_ - row_[index(k)];
    Count round = std::max<Count>(0, ceil_divide(std::max<Count>(missing, 0), depth_)) * depth_ + k - start_;
    if (round < 0) round += depth_;
    last_arrival_ = std::min(last_arrival_, round);
  }
}

Count CirculantReceipts::raw_segment(Count round) const {
  const Count position = round + start_;
  return row_[index(position % depth_)] - start_ + position / depth_ * depth_;
}

std::optional<Count> CirculantReceipts::segment(Count round) const {
  const Count raw = raw_segment(round);
  if (is_root_ || raw < 0 || (raw >= segments_ - 1 && round != last_arrival_)) return std::nullopt;
  return std::min(raw, segments_ - 1);
}

}  // namespace quadrille

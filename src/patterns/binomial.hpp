// SPDX-License-Identifier: BSD-3-Clause
// The binomial tree over p ranks with any root [grama2003]. Each rank has a virtual number v, which is 0 at the root:
// rank ^ root if p is a power of two, else (rank - root) mod p. Levels run from depth - 1 down to 0, one level in each
// round. At level i, every v that is a multiple of 2^(i+1) has the child v + 2^i if this number is below p.
//
// Under both numberings the ranks of a subtree are consecutive. If p is not a power of two, they may wrap around from
// p - 1 to 0.
#pragma once

#include <algorithm>
#include <bit>

#include "patterns/powers.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// The `count` ranks first, first + 1, .. (mod p).
struct RankRange {
  Rank first = 0;
  Count count = 0;
  bool operator==(const RankRange&) const = default;
};

class BinomialTree {
 public:
  constexpr BinomialTree(Count ranks, Rank root) : p_(ranks), root_(root), depth_(ceil_log2(p_)) {}

  constexpr Count depth() const { return depth_; }  // ceil(log2 p): the number of rounds
  constexpr Count virtual_of(Rank rank) const { return power_of_two() ? rank ^ root_ : (rank - root_ + p_) % p_; }
  constexpr Rank rank_of(Count v) const { return power_of_two() ? v ^ root_ : (v + root_) % p_; }

  // The level at which v receives; v has children at all lower levels.
  constexpr Count level_of(Count v) const { return v == 0 ? depth_ : std::countr_zero(static_cast<std::uint64_t>(v)); }
  constexpr Count parent_of(Count v) const { return v & (v - 1); }
  constexpr bool has_child(Count v, Count level) const { return level < level_of(v) && v + (Count{1} << level) < p_; }
  constexpr Count child_of(Count v, Count level) const { return v + (Count{1} << level); }

  constexpr RankRange subtree_of(Count v) const {
    const Count size = Count{1} << level_of(v);
    if (power_of_two()) return {rank_of(v) & ~(size - 1), size};
    return {rank_of(v), std::min(size, p_ - v)};
  }

 private:
  constexpr bool power_of_two() const { return is_power_of_two(p_); }

  Count p_;
  Rank root_;
  Count depth_;
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Deals items to ranks in turn, like cards [liu2002]. In an array of p ranks with C columns, slot t belongs to column
// (t mod p) mod C, so each of p consecutive slots belongs to another rank. In a column of height h, slot t belongs to
// row t mod h. A rank with n items deals them to slots s, s + 1, .., s + n - 1. The number of its items for a set of
// columns is the number of slots of these columns in [0, s + n), minus the number of their slots in [0, s). This file
// only counts slots; the caller decides which item goes into which slot.
#pragma once

#include <algorithm>

#include "patterns/rank_array.hpp"

namespace quadrille {

// Counts the slots [0, t) by column. The constructor does all divisions once, because callers ask for many columns.
class SlotCount {
 public:
  SlotCount() = default;
  SlotCount(const RankArray& array, Count t)
      : rounds_(t / array.ranks()), rows_(t % array.ranks() / array.columns()), rest_(t % array.ranks() % array.columns()) {}

  // The number of slots in [0, t) that belong to columns 0 .. column - 1.
  Count left_of(const RankArray& array, Count column) const {
    return rounds_ * array.first_place(column) + rows_ * column + std::min(rest_, column);
  }

 private:
  Count rounds_ = 0, rows_ = 0, rest_ = 0;
};

// The number of slots in [0, t) that belong to rows 0 .. row - 1 of a column of this height.
constexpr Count slots_above(Count t, Count height, Count row) { return t / height * row + std::min(t % height, row); }

// The number of slots in [0, t) that belong to positions 0 .. position - 1, if slots come in circles of `circle` slots, and slot s
// of a circle belongs to position s mod `positions`.
constexpr Count slots_before(Count t, Count circle, Count positions, Count position) {
  return t / circle * slots_above(circle, positions, position) + slots_above(t % circle, positions, position);
}

}  // namespace quadrille

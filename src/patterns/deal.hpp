// SPDX-License-Identifier: BSD-3-Clause
// Dealing things out like cards [liu2002]. In an array of p nodes slot t goes to column (t mod p) mod C, so that p slots in a
// row are one for each node; in a column of height h slot t goes to row t mod h. Whoever has n things deals them to slots
// s, s + 1, .., s + n - 1: column c gets  slots_left_of(s + n, c + 1) - slots_left_of(s, c + 1)  of them less what the columns
// left of it get. These are counts: which things they are is for the caller to say.
#pragma once

#include <algorithm>

#include "patterns/node_array.hpp"

namespace quadrille {

// The slots [0, t), taken apart once to ask for many columns.
class SlotCount {
 public:
  SlotCount() = default;
  SlotCount(const NodeArray& array, Count t)
      : rounds_(t / array.nodes()), rows_(t % array.nodes() / array.columns()), rest_(t % array.nodes() % array.columns()) {}

  // Those that go to columns 0 .. column - 1.
  Count left_of(const NodeArray& array, Count column) const {
    return rounds_ * array.first_place(column) + rows_ * column + std::min(rest_, column);
  }

 private:
  Count rounds_ = 0, rows_ = 0, rest_ = 0;
};

// Of the slots [0, t), those that go to rows 0 .. row - 1 of a column.
constexpr Count slots_above(Count t, Count height, Count row) { return t / height * row + std::min(t % height, row); }

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Cutting `total` things into `pieces` pieces that are as equal as can be: piece i is the half-open range from
// cut_position(total, pieces, i) to cut_position(total, pieces, i + 1).
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// floor(index * total / pieces), for 0 <= index <= pieces; the product may pass 2^63.
constexpr Count cut_position(Count total, Count pieces, Count index) {
  __extension__ typedef __int128 Wide;
  return static_cast<Count>(Wide{index} * total / pieces);
}

}  // namespace quadrille

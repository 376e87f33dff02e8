// SPDX-License-Identifier: BSD-3-Clause
// Cuts `total` items into `parts` parts of sizes that differ by at most one. Part i is the half-open range from
// cut_position(total, parts, i) to cut_position(total, parts, i + 1).
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// floor(index * total / parts), for 0 <= index <= parts. The product may exceed 2^63.
constexpr Count cut_position(Count total, Count parts, Count index) {
  __extension__ typedef __int128 Wide;
  return static_cast<Count>(Wide{index} * total / parts);
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Ranks on a grid, row by row.
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// The divisor of p nearest to its square root: the number of rows of the most square grid, which is not higher than wide.
constexpr Count most_square_rows(Count p) {
  Count rows = 1;
  for (Count divisor = 1; divisor <= p / divisor; ++divisor)
    if (p % divisor == 0) rows = divisor;
  return rows;
}

}  // namespace quadrille

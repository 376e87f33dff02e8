// SPDX-License-Identifier: BSD-3-Clause
// The shape of a grid on which ranks stand row by row.
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// The number of rows of the most square grid for p ranks: the largest divisor of p that is at most its square root.
constexpr Count most_square_rows(Count p) {
  Count rows = 1;
  for (Count divisor = 1; divisor <= p / divisor; ++divisor)
    if (p % divisor == 0) rows = divisor;
  return rows;
}

}  // namespace quadrille

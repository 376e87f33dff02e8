// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of counts of ranks: remainders, powers of two, cutting into parts.
#pragma once

#include <bit>

#include "foundation/assert.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// The remainder in 0 .. count - 1, also for negative numbers. Overflows for numbers near the limits of Count.
constexpr Count modulo(Count number, Count count) { return (number % count + count) % count; }

constexpr bool is_power_of_two(Count number) { return number > 0 && (number & (number - 1)) == 0; }

// ceil(log2 number), which is the number of bits of number - 1: 0 for 1, 1 for 2, 2 for 3 and 4.
constexpr Count ceil_log2(Count number) {
  QUADRILLE_ASSERT(number > 0);
  return static_cast<Count>(std::bit_width(static_cast<std::uint64_t>(number - 1)));
}

// Cuts `total` items into `parts` parts of sizes that differ by at most one. Part i is the half-open range from
// cut_position(total, parts, i) to cut_position(total, parts, i + 1): floor(index * total / parts), for
// 0 <= index <= parts. The product may exceed 2^63.
constexpr Count cut_position(Count total, Count parts, Count index) {
  __extension__ typedef __int128 Wide;
  return static_cast<Count>(Wide{index} * total / parts);
}

// The number of rows of the most square full grid for p ranks: the largest divisor of p that is at most the square root of p.
constexpr Count most_square_rows(Count p) {
  Count rows = 1;
  for (Count divisor = 1; divisor <= p / divisor; ++divisor)
    if (p % divisor == 0) rows = divisor;
  return rows;
}

}  // namespace quadrille

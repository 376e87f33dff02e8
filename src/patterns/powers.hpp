// SPDX-License-Identifier: BSD-3-Clause
// Powers of two among counts of ranks.
#pragma once

#include <bit>

#include "foundation/assert.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

constexpr bool is_power_of_two(Count number) { return number > 0 && (number & (number - 1)) == 0; }

// ceil(log2 number), which is the number of bits of number - 1: 0 for 1, 1 for 2, 2 for 3 and 4.
constexpr Count ceil_log2(Count number) {
  QUADRILLE_ASSERT(number > 0);
  return static_cast<Count>(std::bit_width(static_cast<std::uint64_t>(number - 1)));
}

}  // namespace quadrille

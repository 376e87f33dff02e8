// SPDX-License-Identifier: BSD-3-Clause
// Classes of block sizes. One elastic plan (PlanOptions::capacity) runs the calls of a class. The class depends on the call alone,
// so it is equal on all ranks.
#pragma once

#include <bit>

#include "quadrille/types.hpp"

namespace quadrille {

// Returns the largest block of the class of `block_bytes`: a power of two times `element_bytes`, more than half of which the class
// holds. 0 if the size has no class: blocks without bytes, and blocks that take so long that a plan of their own costs little.
constexpr Bytes capacity_of(Bytes block_bytes, Bytes element_bytes) {
  constexpr Bytes longest = Bytes{64} << 10;
  if (block_bytes <= 0 || block_bytes > longest || block_bytes % element_bytes != 0) return 0;
  return static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(block_bytes / element_bytes))) * element_bytes;
}

}  // namespace quadrille

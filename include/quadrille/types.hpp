// SPDX-License-Identifier: BSD-3-Clause
// Quantities that every part of the library speaks in. All counts and sizes are 64-bit.
#pragma once

#include <cstdint>

namespace quadrille {

using Rank = std::int64_t;   // 0 .. p-1
using Count = std::int64_t;  // how many
using Bytes = std::int64_t;  // how much, or where, in bytes

// Which messages of a rank may be under way together. A policy never changes a result:
// each is a window over the same dependence graph (docs/architecture.md).
enum class Policy : std::uint8_t {
  blocking,     // a round's messages together, then the next round
  nonblocking,  // a stage's messages together, where they are independent
  dataflow,     // a message leaves as soon as what it reads is final
};

constexpr Count ceil_divide(Count amount, Count share) { return amount / share + (amount % share > 0 ? 1 : 0); }

// So many times `each`, but no more than `most`; of any size.
constexpr Bytes times_at_most(Count times, Bytes each, Bytes most) {
  Bytes product = 0;
  return __builtin_mul_overflow(times, each, &product) || product > most ? most : product;
}

}  // namespace quadrille

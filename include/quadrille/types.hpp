// SPDX-License-Identifier: BSD-3-Clause
// Basic quantities used by all parts of the library. All counts and sizes are 64-bit.
#pragma once

#include <cstdint>

namespace quadrille {

using Rank = std::int64_t;   // 0 .. p-1
using Count = std::int64_t;  // a number of things
using Bytes = std::int64_t;  // a size, or an offset, in bytes

// Which messages of a rank may be in flight together. A policy never changes a result. All three policies obey one dependence
// graph. Blocking and nonblocking cut it into windows: messages posted together, then waited for together. Dataflow starts an
// operation as soon as all operations that it depends on are complete (docs/architecture.md).
enum class Policy : std::uint8_t {
  blocking,     // a window is one round
  nonblocking,  // a window is a series of rounds of a stage that are independent of each other, as long as possible
  dataflow,     // no windows: a message leaves as soon as the data that it reads is final
};

constexpr Count ceil_divide(Count amount, Count share) { return amount / share + (amount % share > 0 ? 1 : 0); }

// times * each, but at most `most`; never overflows.
constexpr Bytes times_at_most(Count times, Bytes each, Bytes most) {
  Bytes product = 0;
  return __builtin_mul_overflow(times, each, &product) || product > most ? most : product;
}

}  // namespace quadrille

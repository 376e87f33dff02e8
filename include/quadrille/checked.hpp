// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on 64-bit counts with overflow checks. The functions return std::nullopt if the result does not fit.
#pragma once

#include <optional>

#include "quadrille/types.hpp"

namespace quadrille {

constexpr std::optional<Count> checked_sum(Count a, Count b) {
  Count sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

constexpr std::optional<Count> checked_product(Count a, Count b) {
  Count product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace quadrille

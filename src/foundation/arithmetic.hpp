// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic that several layers need: the median of a few values, rounding up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// Returns the median; of an even number of values, the greater of the two in the middle. There must be at least one value.
// src/tune/median.hpp has confidence intervals, too.
template <class Value>
Value median_of(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return std::move(*middle);
}

// Returns the least multiple of `unit` that is at least `amount`, such as the bytes of whole pages. `amount` is 0 or more, `unit` 1
// or more.
constexpr Count rounded_up(Count amount, Count unit) { return ceil_divide(amount, unit) * unit; }

}  // namespace quadrille

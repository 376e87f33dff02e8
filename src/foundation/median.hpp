// SPDX-License-Identifier: BSD-3-Clause
// The median of a few values. src/tune/median.hpp has confidence intervals, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace quadrille {

// Returns the median, and of an even number of values the greater one in the middle. There must be at least one value.
template <class Value>
Value median_of(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return std::move(*middle);
}

}  // namespace quadrille

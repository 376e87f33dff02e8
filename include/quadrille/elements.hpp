// SPDX-License-Identifier: BSD-3-Clause
// What typed calls take as buffers: anything with data() and size(), such as std::vector, std::array, std::span, an array of C, or
// a multidimensional array whose elements follow each other without gaps. Elements are trivially copyable.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "quadrille/types.hpp"

namespace quadrille {

template <class Range>
concept HasElements = requires(Range& range) {
  {*std::data(range)};
  { std::size(range) } -> std::convertible_to<std::size_t>;
  requires std::is_pointer_v<decltype(std::data(range))>;
};

template <class Range>
using ElementOf = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>>;

// What is sent.
template <class Range>
concept InputRange = HasElements<Range> && std::is_trivially_copyable_v<ElementOf<Range>>;

// What is received, so it is not const.
template <class Range>
concept OutputRange = InputRange<Range> && !std::is_const_v<std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>>;

// One value for each rank: of any integer type, in elements.
template <class Range>
concept CountRange = HasElements<Range> && std::integral<ElementOf<Range>>;

// A single value, for calls that take no range.
template <class Value>
concept SingleValue = std::is_trivially_copyable_v<Value> && !HasElements<Value>;

template <class Range>
Count count_of(const Range& range) {
  return static_cast<Count>(std::size(range));
}

}  // namespace quadrille

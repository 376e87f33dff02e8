// SPDX-License-Identifier: BSD-3-Clause
// The buffers that typed calls accept: anything with data() and size(), such as std::vector, std::array, std::span, a C array, or a
// multidimensional array whose elements are contiguous. Elements must be trivially copyable.
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

// A buffer to send from.
template <class Range>
concept InputRange = HasElements<Range> && std::is_trivially_copyable_v<ElementOf<Range>>;

// A buffer to receive into; it is not const.
template <class Range>
concept OutputRange = InputRange<Range> && !std::is_const_v<std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>>;

// A range with one value per rank, of any integer type, in elements.
template <class Range>
concept CountRange = HasElements<Range> && std::integral<ElementOf<Range>>;

// Passed as the input, like MPI_IN_PLACE, if the buffer of the output holds the input; the result replaces it there.
struct InPlace {};
inline constexpr InPlace in_place;

// A single value, for calls that take a value instead of a range.
template <class Value>
concept SingleValue = std::is_trivially_copyable_v<Value> && !HasElements<Value>;

template <class Range>
Count count_of(const Range& range) {
  return static_cast<Count>(std::size(range));
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// What Debian's emscripten 3.1.6 lacks of C++20: its libc++ 13 has no three-way comparison of pairs, tuples, optionals and vectors,
// few algorithms for ranges, and no std::from_chars for numbers with a fraction. viewer/scripts/verifier.sh includes this file
// before each source. Newer versions of libc++ have all of it.
#pragma once

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace std {

template <class T>
constexpr weak_ordering order_of_less(const T& a, const T& b) {
  return a < b ? weak_ordering::less : b < a ? weak_ordering::greater : weak_ordering::equivalent;
}
// The parameters are as general as those of libc++'s `<`. Otherwise `a < b` would mean (a <=> b) < 0, and never end.
template <class A, class B>
constexpr weak_ordering operator<=>(const pair<A, B>& a, const pair<A, B>& b) {
  return order_of_less(a, b);
}
template <class... A, class... B>
constexpr weak_ordering operator<=>(const tuple<A...>& a, const tuple<B...>& b) {
  return order_of_less(a, b);
}
template <class A, class B>
constexpr weak_ordering operator<=>(const optional<A>& a, const optional<B>& b) {
  return order_of_less(a, b);
}
template <class A, class Allocator>
weak_ordering operator<=>(const vector<A, Allocator>& a, const vector<A, Allocator>& b) {
  return order_of_less(a, b);
}

inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  char* end = nullptr;
  value = strtod(text.c_str(), &end);
  return {first + (end - text.c_str()), end == text.c_str() ? errc::invalid_argument : errc{}};
}

namespace ranges {

struct itself {
  template <class T>
  constexpr T&& operator()(T&& value) const {
    return static_cast<T&&>(value);
  }
};

// Compares what `of` gives of two elements.
template <class Order, class Of>
auto compared(Order& order, Of& of) {
  return [&](const auto& a, const auto& b) { return std::invoke(order, std::invoke(of, a), std::invoke(of, b)); };
}

template <input_or_output_iterator I, class Order = std::less<>, class Of = itself>
void sort(I first, I last, Order order = {}, Of of = {}) {
  std::sort(first, last, compared(order, of));
}
template <class Range, class Order = std::less<>, class Of = itself>
void sort(Range&& range, Order order = {}, Of of = {}) {
  std::sort(std::begin(range), std::end(range), compared(order, of));
}
template <class Range, class Order = std::less<>, class Of = itself>
void stable_sort(Range&& range, Order order = {}, Of of = {}) {
  std::stable_sort(std::begin(range), std::end(range), compared(order, of));
}
template <input_or_output_iterator I, class Order = std::less<>, class Of = itself>
bool is_sorted(I first, I last, Order order = {}, Of of = {}) {
  return std::is_sorted(first, last, compared(order, of));
}
template <class Range, class Test>
bool all_of(Range&& range, Test test) {
  return std::all_of(std::begin(range), std::end(range), test);
}
template <class Range, class Test>
bool any_of(Range&& range, Test test) {
  return std::any_of(std::begin(range), std::end(range), test);
}

}  // namespace ranges
}  // namespace std

// SPDX-License-Identifier: BSD-3-Clause
// Lists indexed by a rank, a count or an enumeration. Ranks and counts are signed, but the standard library's indices are unsigned.
// Only this header converts one to the other, with an assertion.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// Converts a count to an index or size of the standard library.
constexpr std::size_t index(Count count) {
  assert(count >= 0);
  return static_cast<std::size_t>(count);
}

template <class Value>
Count size(const std::vector<Value>& list) {
  return static_cast<Count>(list.size());
}

// One value per rank (or node, round, ...), indexed from 0.
template <class Value>
class ByRank : public std::vector<Value> {
  using Base = std::vector<Value>;

 public:
  using Base::Base;
  ByRank() = default;
  explicit ByRank(Count ranks, const Value& value = {}) : Base(index(ranks), value) {}

  decltype(auto) operator[](Rank rank) { return Base::operator[](index(rank)); }
  decltype(auto) operator[](Rank rank) const { return Base::operator[](index(rank)); }
};

// One value per value of an enumeration, whose values must be 0, 1, ..., length - 1.
template <class Enum, class Value, std::size_t length>
class ByEnum : public std::array<Value, length> {
  using Base = std::array<Value, length>;

 public:
  constexpr Value& operator[](Enum key) { return Base::operator[](static_cast<std::size_t>(key)); }
  constexpr const Value& operator[](Enum key) const { return Base::operator[](static_cast<std::size_t>(key)); }
};

}  // namespace quadrille

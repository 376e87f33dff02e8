// SPDX-License-Identifier: BSD-3-Clause
// The built-in operators, one row for each operator and type.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {
namespace {

// Integers are added and multiplied as unsigned 64-bit numbers, so that overflow wraps instead of being undefined.
template <class Number>
Number add(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return static_cast<Number>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

template <class Number>
Number multiply(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return static_cast<Number>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else if constexpr (std::is_floating_point_v<Number>)
    return a * b;
  else  // complex numbers: the textbook formula, without the special cases of the standard library for infinities
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Number>
constexpr bool is_nan(Number number) {
  if constexpr (std::is_floating_point_v<Number>)
    return number != number;
  else
    return false;
}

template <class Value>
struct Indexed {  // laid out as MPI's pair types
  Value value;
  std::int32_t index;
};

template <class>
constexpr bool is_indexed = false;
template <class Value>
constexpr bool is_indexed<Indexed<Value>> = true;

template <class Number>
using Matrix = std::array<Number, 4>;  // a 2 x 2 matrix, row by row

constexpr auto sum = [](auto a, auto b) { return add(a, b); };
constexpr auto prod = [](auto a, auto b) { return multiply(a, b); };
// If one operand is a NaN, `least` and `greatest` return it: otherwise results would depend on the grouping of operands.
constexpr auto least = [](auto a, auto b) {
  const auto number = a < b ? a : b;
  return is_nan(a) ? a : number;
};
constexpr auto greatest = [](auto a, auto b) {
  const auto number = b < a ? a : b;
  return is_nan(a) ? a : number;
};
constexpr auto bit_and = [](auto a, auto b) { return static_cast<decltype(a)>(a & b); };
constexpr auto bit_or = [](auto a, auto b) { return static_cast<decltype(a)>(a | b); };
constexpr auto bit_xor = [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };
constexpr auto logical_and = [](auto a, auto b) { return static_cast<decltype(a)>(a != 0 && b != 0); };
constexpr auto logical_or = [](auto a, auto b) { return static_cast<decltype(a)>(a != 0 || b != 0); };
constexpr auto logical_xor = [](auto a, auto b) { return static_cast<decltype(a)>((a != 0) != (b != 0)); };
// For pairs (minloc, maxloc), an operator tells whether to keep the first of two. A NaN is kept before any number.
constexpr auto least_place = [](const auto& a, const auto& b) {
  if (is_nan(a.value) || is_nan(b.value)) return is_nan(a.value) && (!is_nan(b.value) || a.index < b.index);
  return a.value < b.value || (!(b.value < a.value) && a.index < b.index);
};
constexpr auto greatest_place = [](const auto& a, const auto& b) {
  if (is_nan(a.value) || is_nan(b.value)) return is_nan(a.value) && (!is_nan(b.value) || a.index < b.index);
  return b.value < a.value || (!(a.value < b.value) && a.index < b.index);
};
constexpr auto matrix_product = [](auto a, auto b) {
  return decltype(a){add(multiply(a[0], b[0]), multiply(a[1], b[2])), add(multiply(a[0], b[1]), multiply(a[1], b[3])),
                     add(multiply(a[2], b[0]), multiply(a[3], b[2])), add(multiply(a[2], b[1]), multiply(a[3], b[3]))};
};

// Elements are read and written by memcpy, which compilers turn into plain and vector accesses of any alignment.
template <class Element, class Function>
void combine(const std::byte* __restrict source, std::byte* __restrict target, Count elements, OperandOrder order) {
  const auto each = [&](auto&& function) {
    for (Count i = 0; i < elements; ++i) {
      Element s, t;
      std::memcpy(&s, source + i * static_cast<Count>(sizeof s), sizeof s);
      std::memcpy(&t, target + i * static_cast<Count>(sizeof t), sizeof t);
      if constexpr (!is_indexed<Element>) {
        const Element result = function(s, t);
        std::memcpy(target + i * static_cast<Count>(sizeof t), &result, sizeof result);
      } else if (function(s, t)) {  // copies the padding, too, so that results are equal bit by bit
        std::memcpy(target + i * static_cast<Count>(sizeof t), source + i * static_cast<Count>(sizeof s), sizeof s);
      }
    }
  };
  if (order == OperandOrder::source_first)
    each([](const Element& s, const Element& t) { return Function{}(s, t); });
  else
    each([](const Element& s, const Element& t) {
      if constexpr (is_indexed<Element>)
        return !Function{}(t, s);
      else
        return Function{}(t, s);
    });
}

class Rows {
 public:
  Rows() {
    whole<std::int8_t>("i8"), whole<std::int16_t>("i16"), whole<std::int32_t>("i32"), whole<std::int64_t>("i64");
    whole<std::uint8_t>("u8"), whole<std::uint16_t>("u16"), whole<std::uint32_t>("u32"), whole<std::uint64_t>("u64");
    real<float>("f32"), real<double>("f64");
    complex<std::complex<float>>("c64"), complex<std::complex<double>>("c128");
    indexed<std::int16_t>("i16_i32"), indexed<std::int32_t>("i32_i32"), indexed<std::int64_t>("i64_i32");
    indexed<float>("f32_i32"), indexed<double>("f64_i32");
  }

  const std::vector<std::shared_ptr<const Operator>>& all() const { return all_; }

 private:
  template <class Element, class Function>
  void row(const char* name, const char* type, Function, bool commutative = true) {
    all_.push_back(std::make_shared<const Operator>(
        Operator{name, type, static_cast<Bytes>(sizeof(Element)), commutative, combine<Element, Function>, {}}));
  }

  template <class Number>
  void complex(const char* type) {
    row<Number>("sum", type, sum);
    row<Number>("prod", type, prod);
  }

  template <class Number>
  void real(const char* type) {
    row<Number>("sum", type, sum);
    row<Number>("prod", type, prod);
    row<Number>("min", type, least);
    row<Number>("max", type, greatest);
    row<Matrix<Number>>("matmul2", type, matrix_product, false);
  }

  template <class Number>
  void whole(const char* type) {
    real<Number>(type);
    row<Number>("band", type, bit_and);
    row<Number>("bor", type, bit_or);
    row<Number>("bxor", type, bit_xor);
    row<Number>("land", type, logical_and);
    row<Number>("lor", type, logical_or);
    row<Number>("lxor", type, logical_xor);
  }

  template <class Value>
  void indexed(const char* type) {
    row<Indexed<Value>>("minloc", type, least_place);
    row<Indexed<Value>>("maxloc", type, greatest_place);
  }

  std::vector<std::shared_ptr<const Operator>> all_;
};

const std::vector<std::shared_ptr<const Operator>>& rows() {
  static const Rows table;
  return table.all();
}

// Returns the values of `key` for all rows, each once, in the order of the rows.
template <class Key>
std::vector<std::string> distinct(Key&& key) {
  std::vector<std::string> values;
  for (const auto& row : rows())
    if (const std::string& value = key(*row); std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  return values;
}

}  // namespace

std::shared_ptr<const Operator> built_in_operator(std::string_view operation, std::string_view type) {
  std::vector<std::string> types;
  for (const auto& row : rows())
    if (row->name == operation) {
      if (row->type == type) return row;
      types.push_back(row->type);
    }
  if (types.empty())
    throw Error(ErrorCode::misuse,
                fmt::format("there is no operator '{}'; there are: {}", operation, fmt::join(operator_names(), ", ")));
  throw Error(ErrorCode::misuse,
              fmt::format("{} has no elements of type '{}'; its types are: {}", operation, type, fmt::join(types, ", ")));
}

bool is_built_in(const Operator& operation) {
  const auto& list = rows();
  return std::any_of(list.begin(), list.end(), [&](const auto& row) { return row.get() == &operation; });
}

Operator::Combine on_aligned_elements(Operator::Combine combine, Bytes element_bytes) {
  const Bytes alignment = std::min<Bytes>(element_bytes & -element_bytes, alignof(std::max_align_t));
  return [combine = std::move(combine), element_bytes, alignment](const std::byte* source, std::byte* target, Count elements,
                                                                  OperandOrder order) {
    const auto is_aligned = [&](const std::byte* place) {
      return reinterpret_cast<std::uintptr_t>(place) % static_cast<std::uintptr_t>(alignment) == 0;
    };
    if (is_aligned(source) && is_aligned(target)) return combine(source, target, elements, order);
    constexpr Bytes room_bytes = 4096;
    alignas(std::max_align_t) std::array<std::byte, 2 * room_bytes> room;
    std::vector<std::byte> larger(element_bytes > room_bytes ? 2 * index(element_bytes) : 0);
    const Count at_once = larger.empty() ? room_bytes / element_bytes : 1;
    std::byte* aligned_source = larger.empty() ? room.data() : larger.data();
    std::byte* aligned_target = aligned_source + at_once * element_bytes;
    for (Count done = 0; done < elements; done += at_once) {
      const Count count = std::min(elements - done, at_once);
      const auto length = index(count * element_bytes);
      std::memcpy(aligned_source, source + done * element_bytes, length);
      std::memcpy(aligned_target, target + done * element_bytes, length);
      combine(aligned_source, aligned_target, count, order);
      std::memcpy(target + done * element_bytes, aligned_target, length);
    }
  };
}

std::vector<std::string> operator_names() {
  return distinct([](const Operator& row) { return row.name; });
}

std::vector<std::string> type_names() {
  return distinct([](const Operator& row) { return row.type; });
}

Problem reduction(Collective collective, Count ranks, Count elements, const Operator& operation, Rank root) {
  if (!is_reduction(collective) || is_irregular(collective))
    throw Error(ErrorCode::misuse, fmt::format("{} is not a reduction of vectors of one length", name(collective)));
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.root = root;
  problem.element_bytes = operation.element_bytes;
  problem.commutative = operation.commutative;
  const auto bytes = checked_product(elements, operation.element_bytes);
  if (elements < 0 || !bytes)
    throw Error(ErrorCode::misuse, fmt::format("{} elements of {} bytes do not make a vector", elements, operation.element_bytes));
  problem.block_bytes = *bytes;
  check(problem);
  return problem;
}

}  // namespace quadrille

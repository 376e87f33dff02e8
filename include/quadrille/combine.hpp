// SPDX-License-Identifier: BSD-3-Clause
// The operators that the reductions of collectives.hpp accept for elements of a type T:
//
//   op::sum, op::min ...                        built in, for the number types of operator.hpp
//   [](T a, T b) { return ...; }                any associative function; `a` is from the lower ranks
//   commutative([](T a, T b) { return ...; })   an associative function that also commutes: more algorithms apply
//   commutative(f, "longest"), ordered(f, "x")  with a name, which ranks compare and errors show
//   std::shared_ptr<const Operator>             see operator.hpp; its elements must have sizeof(T) bytes
//   MPI_Op                                      with quadrille/mpi.hpp
//
// All ranks must give operators with the same element size, commutativity and name. Each rank combines by the function that it
// passes to the call. Several threads may call a function at the same time.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "quadrille/call.hpp"
#include "quadrille/error.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {

// An element of op::minloc and op::maxloc, laid out like MPI's pair types. Any other struct with these two members works as well.
template <class Value>
struct ValueAndIndex {
  Value value;
  std::int32_t index;
};

namespace op {

enum class Name : std::uint8_t { sum, prod, min, max, band, bor, bxor, land, lor, lxor, minloc, maxloc };

template <Name name>
struct BuiltIn {};

inline constexpr BuiltIn<Name::sum> sum;
inline constexpr BuiltIn<Name::prod> prod;
inline constexpr BuiltIn<Name::min> min;
inline constexpr BuiltIn<Name::max> max;
inline constexpr BuiltIn<Name::band> band;
inline constexpr BuiltIn<Name::bor> bor;
inline constexpr BuiltIn<Name::bxor> bxor;
inline constexpr BuiltIn<Name::land> land;
inline constexpr BuiltIn<Name::lor> lor;
inline constexpr BuiltIn<Name::lxor> lxor;
inline constexpr BuiltIn<Name::minloc> minloc;  // among equal values, the least index wins
inline constexpr BuiltIn<Name::maxloc> maxloc;

constexpr std::string_view text(Name name) {
  constexpr std::string_view texts[] = {"sum",  "prod", "min", "max",  "band",   "bor",
                                        "bxor", "land", "lor", "lxor", "minloc", "maxloc"};
  return texts[static_cast<std::size_t>(name)];
}

}  // namespace op

// A function with the properties that must be equal on all ranks. `name` refers to text that must live until the call returns.
template <class Function>
struct DescribedFunction {
  Function function;
  bool commutative;
  std::string_view name;
};

template <class Function>
DescribedFunction<Function> commutative(Function function, std::string_view name = "a function") {
  return {std::move(function), true, name};
}

template <class Function>
DescribedFunction<Function> ordered(Function function, std::string_view name) {
  return {std::move(function), false, name};
}

// The name that operator.hpp uses for elements of type T, such as "f64"; empty if there is none.
template <class T>
constexpr std::string_view type_name_of() {
  if constexpr (std::is_same_v<T, std::byte> || std::is_same_v<T, bool>) {
    return "u8";
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    constexpr std::string_view whole[2][4] = {{"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}};
    return whole[std::is_signed_v<T>][std::countr_zero(sizeof(T))];
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return sizeof(T) == 4 ? "f32" : "f64";
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return sizeof(T) == 8 ? "c64" : "c128";
  } else if constexpr (requires(T t) {
                         requires std::same_as<decltype(t.index), std::int32_t>;
                         t.value;
                       }) {
    using Value = decltype(T::value);
    if constexpr (sizeof(T) != sizeof(ValueAndIndex<Value>)) return "";
    constexpr std::string_view value = type_name_of<Value>();
    if constexpr (value == "i16") return "i16_i32";
    if constexpr (value == "i32") return "i32_i32";
    if constexpr (value == "i64") return "i64_i32";
    if constexpr (value == "f32") return "f32_i32";
    if constexpr (value == "f64") return "f64_i32";
    return "";
  } else {
    return "";
  }
}

// True if built_in_operator has this operator for T. Sums of bool are excluded, because a sum may be neither 0 nor 1.
template <class T>
constexpr bool has_built_in(op::Name name) {
  constexpr std::string_view type = type_name_of<T>();
  const bool adds = name == op::Name::sum || name == op::Name::prod;
  const bool compares = name == op::Name::min || name == op::Name::max;
  const bool finds = name == op::Name::minloc || name == op::Name::maxloc;
  if (type.empty()) return false;
  if (type.find('_') != type.npos) return finds;
  if (type[0] == 'c') return adds;
  if (type[0] == 'f') return adds || compares;
  if (std::is_same_v<T, bool> || std::is_same_v<T, std::byte>) return !adds && !finds;
  return !finds;
}

// Converts the operator that a program passes into the form that the library uses. `of` does not copy the operator, so the
// operator must outlive the result. mpi.hpp adds a specialisation for MPI_Op.
template <class T, class Given>
struct OperatorFor {
  static_assert(std::is_invocable_r_v<T, const Given&, const T&, const T&>,
                "a reduction takes op::sum or another of these, a function (T, T) -> T, or a std::shared_ptr<const Operator>");

  static CallOperator of(const Given& function, bool commutative = false, std::string_view name = "a function") {
    CallOperator made{.name = name, .element_bytes = sizeof(T), .commutative = commutative, .combine = combine, .copy = copy};
    if constexpr (std::is_function_v<Given>)
      made.function = reinterpret_cast<const void*>(&function);
    else
      made.function = std::addressof(function);
    return made;
  }

 private:
  static const Given& from(const void* function) {
    if constexpr (std::is_function_v<Given>)
      return *reinterpret_cast<Given*>(const_cast<void*>(function));
    else
      return *static_cast<const Given*>(function);
  }

  static void combine(const void* given, const std::byte* __restrict source, std::byte* __restrict target, Count elements,
                      OperandOrder order) {
    using Bits = std::array<std::byte, sizeof(T)>;  // T may lack a default constructor and may be unaligned
    const Given& function = from(given);
    for (Count i = 0; i < elements; ++i, source += sizeof(T), target += sizeof(T)) {
      Bits source_bits, target_bits;
      std::memcpy(&source_bits, source, sizeof(T));
      std::memcpy(&target_bits, target, sizeof(T));
      const T s = std::bit_cast<T>(source_bits), t = std::bit_cast<T>(target_bits);
      const T result = order == OperandOrder::source_first ? function(s, t) : function(t, s);
      std::memcpy(target, &result, sizeof(T));
    }
  }

  static std::shared_ptr<const void> copy(const void* function) {
    if constexpr (std::is_function_v<Given>)
      return {std::shared_ptr<void>(), function};
    else
      return std::make_shared<const Given>(from(function));
  }
};

template <class T, class Function>
struct OperatorFor<T, DescribedFunction<Function>> {
  static CallOperator of(const DescribedFunction<Function>& given) {
    return OperatorFor<T, Function>::of(given.function, given.commutative, given.name);
  }
};

template <class T, op::Name name>
struct OperatorFor<T, op::BuiltIn<name>> {
  static_assert(has_built_in<T>(name), "there is no such operator on these elements; give a function (T, T) -> T");

  static CallOperator of(const op::BuiltIn<name>&) {
    static const Operator& row = *built_in_operator(op::text(name), type_name_of<T>());  // built-in operators are never destroyed
    return {.built_in = &row, .element_bytes = row.element_bytes, .commutative = row.commutative};
  }
};

template <class T, class Pointee>
requires std::same_as<const Pointee, const Operator>
struct OperatorFor<T, std::shared_ptr<Pointee>> {
  static CallOperator of(const std::shared_ptr<Pointee>& given) {
    if (!given) throw Error(ErrorCode::misuse, "the operator is a null pointer; give a reduction an operator");
    return {.built_in = is_built_in(*given) ? given.get() : nullptr,
            .name = given->name,
            .type = given->type,
            .element_bytes = given->element_bytes,
            .commutative = given->commutative,
            .combine = combine,
            .function = &given,
            .copy = copy};
  }

 private:
  using Pointer = std::shared_ptr<Pointee>;

  static void combine(const void* function, const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
    (*static_cast<const Pointer*>(function))->combine(source, target, elements, order);
  }

  static std::shared_ptr<const void> copy(const void* function) {
    return std::make_shared<const Pointer>(*static_cast<const Pointer*>(function));
  }
};

}  // namespace quadrille

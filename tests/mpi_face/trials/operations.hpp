// SPDX-License-Identifier: BSD-3-Clause
// Operators of reductions, predefined and users', and their expected results. Values are drawn such that the result does not depend
// on the order of evaluation, and no 8-bit sum overflows (Open MPI saturates there).
#pragma once

#include <map>

#include "types.hpp"

namespace quadrille::trials {

enum class Rule {
  sum,
  product,
  least,
  greatest,
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  user_sum,
  first,
  affine
};
inline constexpr int rule_count = 13;

inline bool is_users(Rule rule) { return rule >= Rule::user_sum; }
inline bool is_ordered(Rule rule) { return rule >= Rule::first; }

inline Signature signature_for(Rule rule, Random& random) {
  static const std::vector<Primitive> integers{Primitive::i8,  Primitive::u8,  Primitive::i16, Primitive::i32,
                                               Primitive::u32, Primitive::i64, Primitive::u64};
  static const std::vector<Primitive> reals{Primitive::i32, Primitive::i64, Primitive::f32, Primitive::f64, Primitive::i16};
  static const std::vector<Primitive> numbers{Primitive::i32, Primitive::u64, Primitive::f32, Primitive::f64,
                                              Primitive::c32, Primitive::c64, Primitive::u8};
  switch (rule) {
    case Rule::sum:
    case Rule::product: return {random.of(numbers)};
    case Rule::least:
    case Rule::greatest: return {random.of(reals)};
    case Rule::user_sum:
    case Rule::first: return random.one_in(2) ? Signature{random.of(numbers)} : Signature{Primitive::i32, Primitive::f64};
    case Rule::affine: return {Primitive::u32, Primitive::u32};
    default: return {random.of(integers)};
  }
}

inline Value drawn(Rule rule, Primitive primitive, std::uint64_t bits) {
  Value value{};
  with_type_of(primitive, [&](auto tag) {
    using T = decltype(tag);
    const auto small = static_cast<signed char>(bits % 16);
    if (rule == Rule::product)
      value = put<T>(static_cast<T>(small < 2 ? 2 : 1));
    else if (rule == Rule::sum || rule == Rule::user_sum || rule == Rule::least || rule == Rule::greatest || rule == Rule::first)
      value = put<T>(static_cast<T>(std::is_signed_v<T> ? small - 8 : small));
    else if (rule == Rule::logical_and || rule == Rule::logical_or || rule == Rule::logical_xor)
      value = put<T>(static_cast<T>(static_cast<signed char>(small % 3)));
    else if constexpr (std::is_integral_v<T>)
      value = put<T>(static_cast<T>(bits));
  });
  return value;
}

// Computes right = left op right for one unit.
inline void combine(Rule rule, const Signature& signature, const Value* left, Value* right) {
  if (rule == Rule::affine) {
    const auto a = get<std::uint32_t>(left[0]), b = get<std::uint32_t>(left[1]);
    right[1] = put<std::uint32_t>(a * get<std::uint32_t>(right[1]) + b);
    right[0] = put<std::uint32_t>(a * get<std::uint32_t>(right[0]));
    return;
  }
  for (std::size_t i = 0; i < signature.size(); ++i)
    with_type_of(signature[i], [&](auto tag) {
      using T = decltype(tag);
      const T a = get<T>(left[i]), b = get<T>(right[i]);
      const auto result = [&]() -> T {
        if (rule == Rule::first) return a;
        if (rule == Rule::product) return static_cast<T>(a * b);
        if (rule == Rule::sum || rule == Rule::user_sum) return static_cast<T>(a + b);
        if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>) {
          if (rule == Rule::least) return std::min(a, b);
          if (rule == Rule::greatest) return std::max(a, b);
        }
        if constexpr (std::is_integral_v<T>) {
          if (rule == Rule::logical_and) return static_cast<T>(a && b);
          if (rule == Rule::logical_or) return static_cast<T>(a || b);
          if (rule == Rule::logical_xor) return static_cast<T>(!a != !b);
          if (rule == Rule::bit_and) return static_cast<T>(a & b);
          if (rule == Rule::bit_or) return static_cast<T>(a | b);
          if (rule == Rule::bit_xor) return static_cast<T>(a ^ b);
        }
        return a;
      };
      right[i] = put<T>(result());
    });
}

// The layout of a type, stored where users' operators can find it.
struct KnownType {
  std::vector<Item> items;
  std::ptrdiff_t extent;
  Signature signature;
};
inline std::map<MPI_Datatype, KnownType>& known_types() {
  static std::map<MPI_Datatype, KnownType> types;
  return types;
}

template <Rule rule>
void users_function(void* in, void* inout, int* length, MPI_Datatype* type) {
  const auto found = known_types().find(*type);
  if (found == known_types().end()) {
    std::fprintf(stderr, "a user's operator was given a type that no call has\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return;
  }
  const KnownType& known = found->second;
  const std::size_t unit = known.signature.size();
  std::vector<Value> left(unit), right(unit);
  for (int element = 0; element < *length; ++element)
    for (std::size_t first = 0; first < known.items.size(); first += unit) {
      const auto place = [&](void* buffer, std::size_t i) {
        return static_cast<char*>(buffer) + element * known.extent + known.items[first + i].offset;
      };
      for (std::size_t i = 0; i < unit; ++i) {
        const auto bytes = static_cast<std::size_t>(bytes_of(known.signature[i]));
        std::memcpy(left[i].data(), place(in, i), bytes);
        std::memcpy(right[i].data(), place(inout, i), bytes);
      }
      combine(rule, known.signature, left.data(), right.data());
      for (std::size_t i = 0; i < unit; ++i)
        std::memcpy(place(inout, i), right[i].data(), static_cast<std::size_t>(bytes_of(known.signature[i])));
    }
}

// An operator that is made for each call and freed afterwards.
class Operation {
 public:
  explicit Operation(Rule rule) : made_(is_users(rule)) {
    const MPI_Op predefined[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    if (!made_)
      handle_ = predefined[static_cast<int>(rule)];
    else if (rule == Rule::user_sum)
      MPI_Op_create(users_function<Rule::user_sum>, 1, &handle_);
    else if (rule == Rule::first)
      MPI_Op_create(users_function<Rule::first>, 0, &handle_);
    else
      MPI_Op_create(users_function<Rule::affine>, 0, &handle_);
  }
  Operation(const Operation&) = delete;
  ~Operation() { free(); }
  void free() {
    if (made_) MPI_Op_free(&handle_);
    made_ = false;
  }
  MPI_Op handle() const { return handle_; }

 private:
  MPI_Op handle_ = MPI_OP_NULL;
  bool made_;
};

}  // namespace quadrille::trials

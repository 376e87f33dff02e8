// SPDX-License-Identifier: BSD-3-Clause
// The random numbers of a program, and the values that it sends. Both follow from the seed, equally on each rank.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace quadrille::trials {

using Count = std::int64_t;

inline std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline std::uint64_t hash(std::initializer_list<std::uint64_t> words) {
  std::uint64_t result = 0;
  for (const std::uint64_t word : words) result = mix(result ^ word);
  return result;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() { return mix(state_++ * 0x2545f4914f6cdd1d); }
  Count below(Count n) { return static_cast<Count>((*this)() % static_cast<std::uint64_t>(n)); }
  bool one_in(Count n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<Count>(list.size())))];
  }

 private:
  std::uint64_t state_;
};

// long double is excluded, because its padding need not be copied.
enum class Primitive { i8, u8, byte, i16, i32, u32, i64, u64, f32, f64, c32, c64 };
inline constexpr int primitive_count = 12;

inline int bytes_of(Primitive p) {
  static constexpr int bytes[] = {1, 1, 1, 2, 4, 4, 8, 8, 4, 8, 8, 16};
  return bytes[static_cast<int>(p)];
}

inline MPI_Datatype handle_of(Primitive p) {
  const MPI_Datatype handles[] = {MPI_SIGNED_CHAR,     MPI_UINT8_T,         MPI_BYTE,     MPI_SHORT, MPI_INT,
                                  MPI_UINT32_T,        MPI_LONG_LONG_INT,   MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE,
                                  MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX};
  return handles[static_cast<int>(p)];
}

using Value = std::array<unsigned char, 16>;  // of any primitive type, in its first bytes

template <class F>
void with_type_of(Primitive p, F&& f) {
  switch (p) {
    case Primitive::i8: return f(std::int8_t{});
    case Primitive::u8:
    case Primitive::byte: return f(std::uint8_t{});
    case Primitive::i16: return f(std::int16_t{});
    case Primitive::i32: return f(std::int32_t{});
    case Primitive::u32: return f(std::uint32_t{});
    case Primitive::i64: return f(std::int64_t{});
    case Primitive::u64: return f(std::uint64_t{});
    case Primitive::f32: return f(float{});
    case Primitive::f64: return f(double{});
    case Primitive::c32: return f(std::complex<float>{});
    case Primitive::c64: return f(std::complex<double>{});
  }
}

template <class T>
T get(const Value& value) {
  T result;
  std::memcpy(&result, value.data(), sizeof result);
  return result;
}

template <class T>
Value put(T number) {
  Value value{};
  std::memcpy(value.data(), &number, sizeof number);
  return value;
}

}  // namespace quadrille::trials

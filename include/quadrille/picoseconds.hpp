// SPDX-License-Identifier: BSD-3-Clause
// Times of cost models and simulators, in whole picoseconds, so that adding the same terms in a different order gives
// exactly the same sum. The largest time, 2^63 picoseconds, is 106 days. The coefficients of a machine are converted
// to whole numbers once, before anything is priced or simulated.
#pragma once

#include <cmath>

#include "quadrille/error.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

using Picoseconds = std::int64_t;

constexpr double seconds_of(Picoseconds time) { return static_cast<double>(time) * 1e-12; }

[[noreturn]] inline void refuse_long_time() {
  throw Error(ErrorCode::too_large, "this takes more than 106 days, beyond what is counted in picoseconds; make the sizes smaller");
}

// Returns the nearest integer. Throws Error{too_large} if it reaches 2^63.
inline std::int64_t whole_units(double value) {
  if (!(std::abs(value) < 0x1p63)) refuse_long_time();
  return static_cast<std::int64_t>(std::llround(value));
}

// These functions throw Error{too_large} if the result reaches 2^63 picoseconds.
inline Picoseconds add_times(Picoseconds a, Picoseconds b) {
  Picoseconds sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) refuse_long_time();
  return sum;
}
inline Picoseconds times(Count count, Picoseconds each) {
  Picoseconds product = 0;
  if (__builtin_mul_overflow(count, each, &product)) refuse_long_time();
  return product;
}

// The time for one byte, in attoseconds (10^-18 s). Picoseconds would be too coarse: a fast machine moves a byte in
// less than one.
class ByteTime {
 public:
  ByteTime() = default;
  static ByteTime of_seconds(double seconds_per_byte) {
    ByteTime time;
    time.attoseconds_ = whole_units(seconds_per_byte * 1e18);
    return time;
  }

  // Returns the time for `bytes` bytes, rounded to the nearest picosecond. Throws Error{too_large}.
  Picoseconds of(Bytes bytes) const {
    __extension__ typedef __int128 Wide;
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(bytes, attoseconds_, &product))
      return product / 1'000'000 + (product % 1'000'000 >= 500'000 ? 1 : 0);
    const Wide time = (static_cast<Wide>(bytes) * attoseconds_ + 500'000) / 1'000'000;
    if (time > INT64_MAX) refuse_long_time();
    return static_cast<Picoseconds>(time);
  }

  ByteTime operator+(const ByteTime& other) const {
    ByteTime sum;
    sum.attoseconds_ = add_times(attoseconds_, other.attoseconds_);
    return sum;
  }

 private:
  std::int64_t attoseconds_ = 0;
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "foundation/assert.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

using Wide = Fraction::Wide;

[[noreturn]] void refuse_long_fraction() {
  throw Error(ErrorCode::too_large, "the exact value of a bound has numbers of more than 127 bits; make the sizes smaller");
}

Wide wide_product(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse_long_fraction();
  return product;
}

Wide common_divisor(Wide a, Wide b) {
  if (a < 0) a = -a;
  for (; b != 0; std::swap(a, b)) a %= b;
  return a;
}

}  // namespace

Fraction::Fraction(Wide numerator, Wide denominator) : numerator_(numerator), denominator_(denominator) {
  QUADRILLE_ASSERT(denominator > 0);
  const Wide divisor = common_divisor(numerator, denominator);
  numerator_ /= divisor, denominator_ /= divisor;
}

Count Fraction::rounded_up() const {
  const Wide value = numerator_ / denominator_ + (numerator_ % denominator_ > 0 ? 1 : 0);
  if (value > INT64_MAX) throw Error(ErrorCode::too_large, "a bound is more than 2^63 - 1; make the sizes smaller");
  return static_cast<Count>(value);
}

Fraction operator+(const Fraction& a, const Fraction& b) {
  Wide sum = 0;
  if (__builtin_add_overflow(wide_product(a.numerator_, b.denominator_), wide_product(b.numerator_, a.denominator_), &sum))
    refuse_long_fraction();
  return {sum, wide_product(a.denominator_, b.denominator_)};
}

Fraction operator*(const Fraction& a, const Fraction& b) {
  const Fraction one(a.numerator_, b.denominator_), other(b.numerator_, a.denominator_);  // so that the products stay short
  return {wide_product(one.numerator_, other.numerator_), wide_product(one.denominator_, other.denominator_)};
}

bool operator<(const Fraction& a, const Fraction& b) {
  return wide_product(a.numerator_, b.denominator_) < wide_product(b.numerator_, a.denominator_);
}

std::string decimal(Wide number) {
  std::string digits;
  const bool is_negative = number < 0;
  for (; number != 0; number /= 10) digits += static_cast<char>('0' + static_cast<int>(number < 0 ? -(number % 10) : number % 10));
  if (is_negative) digits += '-';
  return digits.empty() ? "0" : std::string(digits.rbegin(), digits.rend());
}

}  // namespace quadrille

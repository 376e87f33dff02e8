// SPDX-License-Identifier: BSD-3-Clause
#include "draw/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quadrille {
namespace {

constexpr double least_log_ratio = 1.2;  // in a narrower range ticks are as on a linear axis

// Returns 1, 2 or 5 times a power of ten, so that at most ten steps make up the range.
double step_of(const ValueRange& range) {
  const double least = (range.most - range.least) / 10 * (1 - 1e-9), decade = std::pow(10, std::floor(std::log10(least)));
  for (const double step : {1, 2, 5})
    if (step * decade >= least) return step * decade;
  return 10 * decade;
}

}  // namespace

void ValueRange::add(double value) {
  least = std::min(least, value);
  most = std::max(most, value);
}

ValueRange ValueRange::for_axis(bool log, bool from_zero) const {
  if (is_empty()) return {1, 2};
  ValueRange range = *this;
  if (log) {
    const double margin = std::max(std::pow(most / least, 0.04), 1.03);
    return {least / margin, most * margin};
  }
  if (from_zero) range.add(0);
  if (range.least == range.most) range.most = range.least + std::max(1.0, std::abs(range.least));
  const double step = step_of(range);
  return {std::floor(range.least / step + 1e-9) * step, std::ceil(range.most / step - 1e-9) * step};
}

double Axis::at(double value) const {
  if (values_.least == values_.most) return (from_ + to_) / 2;
  const double share = log_ ? std::log(std::max(value, values_.least) / values_.least) / std::log(values_.most / values_.least)
                            : (value - values_.least) / (values_.most - values_.least);
  return from_ + (to_ - from_) * share;
}

std::vector<double> Axis::within(std::vector<double> values) const {
  const double slack = 1e-9 * (values_.most - values_.least);
  std::erase_if(values, [&](double value) { return value < values_.least - slack || value > values_.most + slack; });
  return values;
}

std::vector<double> Axis::round_values() const {
  if (values_.least == values_.most) return {values_.least};
  std::vector<double> values;
  if (!log_ || values_.most / values_.least < least_log_ratio) {
    const double step = step_of(values_);
    for (double count = std::floor(values_.least / step); count * step <= values_.most + step; ++count)
      values.push_back(count * step);
    return within(std::move(values));
  }
  // A narrower range has ticks that are closer together.
  using Steps = std::vector<double>;
  const double ratio = values_.most / values_.least;
  const Steps steps = ratio < 2.5    ? Steps{1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9}
                      : ratio < 12   ? Steps{1, 1.5, 2, 3, 5, 7}
                      : ratio < 3000 ? Steps{1, 2, 5}
                                     : Steps{1};
  for (double decade = std::floor(std::log10(values_.least)); decade <= std::ceil(std::log10(values_.most)); ++decade)
    for (const double step : steps) values.push_back(step * std::pow(10, decade));
  return within(std::move(values));
}

std::vector<double> Axis::powers_of_two() const {
  std::vector<double> values;
  for (double power = std::exp2(std::floor(std::log2(values_.least))); power <= 2 * values_.most; power *= 2)
    values.push_back(power);
  return within(std::move(values));
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size < 1e-300 || (size >= 1e-4 * (1 - 1e-9) && size < 1e5)) return fmt::format("{:.6g}", value);
  const int decade = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const std::string factor = fmt::format("{:.6g}", value / std::pow(10, decade));
  std::string text = factor == "1" ? "10" : factor + "·10";
  static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (decade < 0) text += "⁻";
  for (const char digit : std::to_string(std::abs(decade))) text += raised[digit - '0'];
  return text;
}

}  // namespace quadrille

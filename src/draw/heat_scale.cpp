// SPDX-License-Identifier: BSD-3-Clause
#include "draw/heat_scale.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille {
namespace {

constexpr double share_of_mean = 0.25;
constexpr double least_top = 4.0 / 3;  // the least amount that may have the last colour, as a multiple of the mean

}  // namespace

HeatScale::HeatScale(std::span<const Bytes> amounts, const ByteUnit& unit) : unit_(unit) {
  double sum = 0, count = 0;
  for (const Bytes amount : amounts) {
    if (amount == 0) continue;
    sum += static_cast<double>(amount);
    ++count;
    most_ = std::max(most_, amount);
  }
  if (count > 0) mean_ = sum / count;
}

double HeatScale::share(Bytes amount) const {
  const auto value = static_cast<double>(amount);
  if (value <= mean_) return mean_ > 0 ? share_of_mean * value / mean_ : 0;
  const double top = std::max(static_cast<double>(most_), least_top * mean_);
  return share_of_mean + (1 - share_of_mean) * (value - mean_) / (top - mean_);
}

std::string HeatScale::mean_text() const { return fmt::format("{:.4g} {}", mean_ / static_cast<double>(unit_.bytes), unit_.name); }

double HeatScale::draw(Svg& svg, Point corner, const std::string& what) const {
  constexpr int steps = 24;
  const double begin = corner.x + 14, end = begin + 6 * steps;
  svg.text({corner.x, corner.y + 11}, "0", Anchor::start, "faint");
  for (int i = 0; i < steps; ++i) svg.box({begin + 6.0 * i, corner.y, 6.3, 14}, {}, heat((i + 0.5) / steps));
  const double mean = begin + share_of_mean * (end - begin);
  if (mean_ > 0) svg.line({mean, corner.y - 2}, {mean, corner.y + 16}, "fresh");
  const bool is_even = mean_ == static_cast<double>(most_);
  const std::string words =
      is_even ? fmt::format("{} {} (the line)", bytes_text(most_, unit_), what)
              : fmt::format("at most {} {}; {} on average (the line)", bytes_text(most_, unit_), what, mean_text());
  svg.text({end + 6, corner.y + 11}, words, Anchor::start, "faint");
  if (!is_even) svg.text({end + 6, corner.y + 26}, "linear below and above the line", Anchor::start, "faint", 11);
  return end + 6 + text_width(words);
}

}  // namespace quadrille

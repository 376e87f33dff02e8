// SPDX-License-Identifier: BSD-3-Clause
#include "recording/call_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace quadrille::recording {
namespace {

constexpr double step = 1.05;
constexpr std::uint32_t codes = 1u << step_bits;

const std::array<double, codes>& times() {
  static const std::array<double, codes> all = [] {
    std::array<double, codes> made{};
    for (std::uint32_t k = 1; k < codes; ++k) made[k] = std::pow(step, k - 1);
    return made;
  }();
  return all;
}

}  // namespace

double ns_of_step(std::uint32_t code) { return times()[code]; }

std::uint32_t step_of_ns(double ns) {
  static const double per_step = 1 / std::log(step);
  if (!(ns >= 0.5)) return 0;
  const double code = 1 + std::round(std::log(ns) * per_step);
  return static_cast<std::uint32_t>(std::clamp(code, 1.0, codes - 1.0));
}

std::uint32_t Rounding::step(double ns) {
  const std::uint32_t code = step_of_ns(ns + std::clamp(owed_ns_, -ns / 20, ns / 20));
  owed_ns_ += ns - ns_of_step(code);
  return code;
}

}  // namespace quadrille::recording

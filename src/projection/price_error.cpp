// SPDX-License-Identifier: BSD-3-Clause
#include "projection/price_error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

PriceError error_of(const Residual& residual) { return {std::log(residual.ratio), residual.spread}; }

double distance(Bytes one, Bytes other) {
  const auto logarithm = [](Bytes bytes) { return std::log2(static_cast<double>(std::max<Bytes>(bytes, 1))); };
  return std::abs(logarithm(one) - logarithm(other));
}

// The bias is the mean; biases that differ add to the spread.
PriceError together(const std::vector<PriceError>& errors) {
  const auto mean_of = [&](auto value_of) {
    double sum = 0;
    for (const PriceError& each : errors) sum += value_of(each);
    return sum / static_cast<double>(size(errors));
  };
  const double bias = mean_of([](const PriceError& each) { return each.bias; });
  const double variance =
      mean_of([&](const PriceError& each) { return each.spread * each.spread + (each.bias - bias) * (each.bias - bias); });
  return {bias, std::sqrt(variance)};
}

}  // namespace

PriceError price_error_of(const MachineCosts& machine, Collective collective, Bytes block_bytes, bool is_vendor) {
  if (machine.residuals.empty()) return {};
  const Residual* nearest = nullptr;
  std::vector<PriceError> of_side, all;
  for (const Residual& each : machine.residuals) {
    all.push_back(error_of(each));
    if (each.is_vendor != is_vendor) continue;
    of_side.push_back(error_of(each));
    if (each.collective != collective) continue;
    const double here = distance(each.block_bytes, block_bytes);
    const double best = nearest ? distance(nearest->block_bytes, block_bytes) : INFINITY;
    if (here < best || (here == best && each.block_bytes < nearest->block_bytes)) nearest = &each;
  }
  if (nearest) return error_of(*nearest);
  return together(of_side.empty() ? all : of_side);
}

}  // namespace quadrille::projection

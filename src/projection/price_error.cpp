// SPDX-License-Identifier: BSD-3-Clause
#include "projection/price_error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "problem/node_ranks.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

PriceError error_of(const Residual& residual) { return {std::log(residual.ratio), residual.spread}; }

double logarithm(Bytes bytes) { return std::log2(static_cast<double>(std::max<Bytes>(bytes, 1))); }

PriceError between(const Residual& below, const Residual& above, Bytes block_bytes) {
  const PriceError low = error_of(below), high = error_of(above);
  const double range = logarithm(above.block_bytes) - logarithm(below.block_bytes);
  const double part = range > 0 ? (logarithm(block_bytes) - logarithm(below.block_bytes)) / range : 0;
  return {std::lerp(low.bias, high.bias, part), std::lerp(low.spread, high.spread, part)};
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

PriceError price_error_of(const MachineCosts& machine, Collective collective, Bytes block_bytes, Implementation by) {
  if (machine.residuals.empty()) return {};
  const Residual *below = nullptr, *above = nullptr;  // the nearest sizes
  std::vector<PriceError> of_side, all;
  for (const Residual& each : machine.residuals) {
    all.push_back(error_of(each));
    if (each.by != by) continue;
    of_side.push_back(error_of(each));
    if (each.collective != collective) continue;
    if (each.block_bytes <= block_bytes && (!below || each.block_bytes > below->block_bytes)) below = &each;
    if (each.block_bytes >= block_bytes && (!above || each.block_bytes < above->block_bytes)) above = &each;
  }
  if (!below && !above) return together(of_side.empty() ? all : of_side);
  return between(*(below ? below : above), *(above ? above : below), block_bytes);
}

bool were_measured_on(const MachineCosts& machine, Collective collective, const std::vector<Count>& nodes) {
  if (machine.residual_node_sizes.empty() || !std::is_sorted(nodes.begin(), nodes.end())) return false;
  const auto has = [&](Implementation by) {
    return std::any_of(machine.residuals.begin(), machine.residuals.end(),
                       [&](const Residual& each) { return each.collective == collective && each.by == by; });
  };
  return has(Implementation::vendor) && has(Implementation::ours) && NodeRanks(nodes).sizes() == machine.residual_node_sizes;
}

}  // namespace quadrille::projection

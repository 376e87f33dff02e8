// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/site.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {

int batch_of_trial(Bytes moved) {
  if (moved <= 4 << 10) return 32;
  if (moved <= 64 << 10) return 8;
  return moved <= 1 << 20 ? 4 : 2;
}

std::uint64_t calls_of_trial(Bytes moved) { return static_cast<std::uint64_t>(2 * repetitions_of_trial * batch_of_trial(moved)); }

std::uint64_t next_epoch(std::uint64_t calls, Bytes moved) {
  constexpr std::uint64_t calls_for_each_of_trial = 32;
  return std::bit_ceil(std::max(calls + 1, calls_for_each_of_trial * calls_of_trial(moved)));
}

std::uint64_t call_of_plan(Count ranks, Bytes moved, bool is_tried) {
  if (Settings::get().admits_at_once) return 2;
  const double plan_s = 100e-6 * static_cast<double>(ranks);
  const double call_s = 1e-6 * static_cast<double>(ranks) + static_cast<double>(moved) / 4e9;
  const int calls_of_trial = is_tried ? 2 * repetitions_of_trial * batch_of_trial(moved) : 0;
  return static_cast<std::uint64_t>(std::clamp(std::ceil(plan_s / call_s), 4.0, 100.0)) +
         static_cast<std::uint64_t>(calls_of_trial);
}

double median_ratio(const std::vector<double>& ours_s, const std::vector<double>& vendors_s) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours_s.size(); ++i) ratios.push_back(ours_s[i] / std::max(vendors_s[i], 1e-9));
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace quadrille::mpi_face

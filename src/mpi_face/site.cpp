// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/site.hpp"

#include <algorithm>
#include <cmath>

#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {

std::uint64_t call_of_plan(Count ranks, Bytes moved) {
  if (Settings::get().admits_at_once) return 2;
  const double plan_s = 100e-6 * static_cast<double>(ranks);
  const double call_s = 1e-6 * static_cast<double>(ranks) + static_cast<double>(moved) / 4e9;
  return static_cast<std::uint64_t>(std::clamp(std::ceil(plan_s / call_s), 8.0, 64.0));
}

std::optional<double> median_ratio(const Site& site) {
  if (site.ours_s.empty()) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < site.ours_s.size(); ++i) ratios.push_back(site.ours_s[i] / std::max(site.vendors_s[i], 1e-9));
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace quadrille::mpi_face

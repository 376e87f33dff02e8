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
  return static_cast<std::uint64_t>(std::clamp(std::ceil(plan_s / call_s), 4.0, 64.0));
}

bool has_lost(const Site& site) {
  constexpr double enough = 0.9, slower = 1.0;
  std::vector<double> sorted = site.ratios;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2] > (site.mode == Site::Mode::trial ? enough : slower);
}

}  // namespace quadrille::mpi_face

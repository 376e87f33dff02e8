// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/kind.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "foundation/arithmetic.hpp"

namespace quadrille::mpi_face {

int batch_of_trial(Bytes moved) {
  if (moved <= 4 << 10) return 32;
  if (moved <= 64 << 10) return 8;
  return moved <= 1 << 20 ? 4 : 2;
}

std::uint64_t next_epoch(std::uint64_t calls, Bytes moved) {
  constexpr std::uint64_t calls_for_each_of_trial = 32;
  const auto calls_of_trial = static_cast<std::uint64_t>(2 * repetitions_of_trial * batch_of_trial(moved));
  return std::bit_ceil(std::max(calls + 1, calls_for_each_of_trial * calls_of_trial));
}

std::optional<std::uint64_t> second_trial_after(std::uint64_t calls, double ratio) {
  constexpr double lost_by_far = 1.3;
  return ratio < lost_by_far ? std::optional(4 * calls) : std::nullopt;
}

double TrialTimes::ratio() const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours_s.size(); ++i) ratios.push_back(ours_s[i] / std::max(vendors_s[i], 1e-9));
  return median_of(std::move(ratios));
}

}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "foundation/median.hpp"
#include "mpi_face/ticks.hpp"

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

int Site::timed(VendorCall vendor) {
  const std::uint64_t begin = mpi_face::ticks();
  const int code = vendor();
  const std::uint64_t took = mpi_face::ticks() - begin;
  ++timed_calls, ticks += took, window_ticks += took;
  if (timed_calls % calls_of_window == 0) least_window_ticks = std::min(least_window_ticks, std::exchange(window_ticks, 0));
  return code;
}

double Site::ticks_of_call() const {
  if (least_window_ticks != never) return static_cast<double>(least_window_ticks) / static_cast<double>(calls_of_window);
  return static_cast<double>(ticks) / static_cast<double>(timed_calls);
}

void Site::leave(std::string cause) {
  mode = Mode::vendor;
  why = std::move(cause);
  what.clear();
  plan.reset(), way.reset(), trial.reset();
  contenders.clear();
  ++version;
}

void Site::take(Contender contender) {
  mode = Mode::ours;
  plan.emplace(std::move(contender.plan));
  way = std::move(contender.way);
  what = fmt::format("{} ({})", plan->algorithm(), name(plan->executor()));
  why = std::move(contender.why);
  trial.reset();
  contenders.clear();
  ++version;
}

double median_ratio(const std::vector<double>& ours_s, const std::vector<double>& vendors_s) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours_s.size(); ++i) ratios.push_back(ours_s[i] / std::max(vendors_s[i], 1e-9));
  return median_of(std::move(ratios));
}

}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/ticks.hpp"

#include <limits>

namespace quadrille {
namespace {

const TickMoment when_loaded = TickMoment::now();

}  // namespace

TickMoment TickMoment::now() noexcept {
  // Takes a few readings, and keeps the reading with the least time between its two time stamps, because it was disturbed least.
  TickMoment best;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 5; ++i) {
    timespec clock{};
    const std::uint64_t before = quadrille::ticks();
    ::clock_gettime(CLOCK_MONOTONIC, &clock);
    const std::uint64_t between = quadrille::ticks() - before;
    if (between >= least) continue;
    least = between;
    best = {before + between / 2, std::int64_t{clock.tv_sec} * 1'000'000'000 + clock.tv_nsec};
  }
  return best;
}

double tick_rate(const TickMoment& begin, const TickMoment& end) noexcept {
  if (end.monotonic_ns <= begin.monotonic_ns || end.ticks <= begin.ticks) return 0;
  return static_cast<double>(end.ticks - begin.ticks) / (1e-9 * static_cast<double>(end.monotonic_ns - begin.monotonic_ns));
}

double seconds_of(double ticks) {
  static const double rate = [] {
    TickMoment now = TickMoment::now();
    while (now.monotonic_ns - when_loaded.monotonic_ns < 1'000'000) now = TickMoment::now();
    return tick_rate(when_loaded, now);
  }();
  return ticks / rate;
}

}  // namespace quadrille

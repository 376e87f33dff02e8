// SPDX-License-Identifier: BSD-3-Clause
// How the times of a rank's sites vary from one call to the next. Half of the mean square of the differences of neighbours is the
// variance, without slow changes in the run. Of means it says nothing, so folded files define it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "quadrille/recording.hpp"

namespace quadrille::recording {

class Deviations {
 public:
  void add(std::size_t site, double gap_s, double duration_s) {
    if (sites_.size() <= site) sites_.resize(site + 1);
    Site& sums = sites_[site];
    if (sums.calls++ > 0) sums.gaps += square(gap_s - sums.gap_s), sums.durations += square(duration_s - sums.duration_s);
    sums.gap_s = gap_s, sums.duration_s = duration_s;
  }
  // Standard deviations of gaps and durations, in ticks.
  void define(std::size_t site, std::uint64_t gap, std::uint64_t duration) { defined_[site] = {gap, duration}; }

  void set(RecordedRank& rank) const {
    for (std::size_t site = 0; site < sites_.size(); ++site) {
      const Site& sums = sites_[site];
      const double twice = 2 * std::max(1.0, static_cast<double>(sums.calls - 1));
      rank.times[site].gap_deviation_s = std::sqrt(sums.gaps / twice);
      rank.times[site].duration_deviation_s = std::sqrt(sums.durations / twice);
    }
    for (const auto& [site, ticks] : defined_) {
      rank.times[site].gap_deviation_s = static_cast<double>(ticks[0]) * rank.tick_s;
      rank.times[site].duration_deviation_s = static_cast<double>(ticks[1]) * rank.tick_s;
    }
  }

 private:
  struct Site {
    Count calls = 0;
    double gap_s = 0, duration_s = 0;  // of the last call
    double gaps = 0, durations = 0;    // sums of squares
  };
  static double square(double value) { return value * value; }

  std::vector<Site> sites_;
  std::unordered_map<std::size_t, std::array<std::uint64_t, 2>> defined_;
};

}  // namespace quadrille::recording

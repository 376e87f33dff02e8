// SPDX-License-Identifier: BSD-3-Clause
// Decides before which calls the ranks of a communicator measure how long they wait for late ranks. Only calls that synchronise all
// ranks are chosen. All ranks count these calls alike, so they measure before the same call. In each measurement, rank 0 computes
// from its own clock after how many calls the next one follows, and tells the others. Nothing here depends on MPI.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

class Sampling {
 public:
  static constexpr double share = 0.005;                                                    // of the time, for measuring
  static constexpr std::uint64_t first = 128, least_interval = 4, most_interval = 1 << 20;  // in calls

  explicit Sampling(Count ranks) : price_s_(4e-6 * static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks)))) {}

  // Counts a call that synchronises, and returns whether the ranks measure before it: first before the 128th, or before an earlier
  // one if the calls so far have cost long enough. `price_s`: what the call costs, equal on all ranks.
  bool counts(double price_s) {
    spent_s_ += price_s;
    return ++calls_ >= next_ || (next_ == first && spent_s_ * share >= price_s_);
  }

  // For rank 0: the number of calls until the next measurement. `elapsed_s`: seconds since the last measurement; `cost_s`: seconds
  // that a measurement takes.
  std::uint64_t interval(double elapsed_s, double cost_s) const {
    const double call_s = elapsed_s / static_cast<double>(std::max<std::uint64_t>(calls_ - last_, 1));
    const double calls = cost_s / (share * std::max(call_s, 1e-9));
    return calls < static_cast<double>(most_interval) ? std::max(static_cast<std::uint64_t>(calls) + 1, least_interval)
                                                      : most_interval;
  }

  // All ranks, after a measurement.
  void go_on(std::uint64_t interval) {
    last_ = calls_;
    next_ = calls_ + interval;
  }

 private:
  const double price_s_;  // of a measurement
  double spent_s_ = 0;
  std::uint64_t calls_ = 0, next_ = first, last_ = 0;
};

}  // namespace quadrille::mpi_face

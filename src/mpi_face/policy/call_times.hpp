// SPDX-License-Identifier: BSD-3-Clause
// The times of the calls of one kind that the MPI library ran, in ticks. Nothing here depends on MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace quadrille::mpi_face {

class CallTimes {
 public:
  static constexpr std::uint64_t calls_of_window = 8;

  void count(std::uint64_t ticks) {
    ++calls_, ticks_ += ticks, window_ticks_ += ticks;
    if (calls_ % calls_of_window == 0) least_window_ticks_ = std::min(least_window_ticks_, std::exchange(window_ticks_, 0));
  }

  std::uint64_t calls() const { return calls_; }
  std::uint64_t ticks() const { return ticks_; }

  // Estimates what a call takes: the least mean over `calls_of_window` consecutive calls, or the mean if there were fewer. A single
  // call may miss the time in which ranks wait for cores that they share; a mean over all calls would contain long waits for late
  // ranks. Requires at least one call.
  double ticks_of_call() const {
    if (least_window_ticks_ != never) return static_cast<double>(least_window_ticks_) / static_cast<double>(calls_of_window);
    return static_cast<double>(ticks_) / static_cast<double>(calls_);
  }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t calls_ = 0, ticks_ = 0;
  std::uint64_t window_ticks_ = 0, least_window_ticks_ = never;  // of the present window of calls, and of the shortest one so far
};

}  // namespace quadrille::mpi_face

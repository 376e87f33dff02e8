// SPDX-License-Identifier: BSD-3-Clause
// Measures what a thread computes between two calls. Reading the thread's processor time is a system call, which takes most of a
// microsecond. So this time is read only if the last gap after an MPI call of the same kind was long; otherwise the tick counter
// measures the gap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "foundation/system/ticks.hpp"

namespace quadrille::recording {

struct Gap {
  std::uint64_t computing = 0, away = 0;  // ticks
};

// What is remembered of the gaps after the calls of one kind.
struct Pace {
  bool is_long = true;  // the last gap; true before the first gap, because a first call takes longer than reading the clock
};

// The clocks of the processor. Tests use others.
struct ProcessorClocks {
  static std::uint64_t ticks() noexcept { return quadrille::ticks(); }
  static std::int64_t thread_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  }
};

template <class Clocks>
class GapClockBy {
 public:
  static constexpr double long_s = 20e-6;

  explicit GapClockBy(double ticks_per_second)
      : ticks_per_ns_(ticks_per_second * 1e-9), long_ticks_(static_cast<std::uint64_t>(ticks_per_second * long_s)) {}

  // Measures later gaps as wall time. Call it if the processor time of this thread is only a part of the computing.
  void use_wall_time() { uses_wall_time_ = true; }
  bool uses_wall_time() const { return uses_wall_time_; }

  // The thread leaves MPI. `pace` belongs to the call that has ended.
  void begin(Pace& pace) noexcept {
    pace_ = &pace;
    has_processor_time_ = pace.is_long && !uses_wall_time_;
    if (has_processor_time_) processor_ns_ = Clocks::thread_ns();
    begin_ = Clocks::ticks();
  }

  // The thread enters MPI. `now` becomes the time at which the call begins.
  Gap end(std::uint64_t& now) noexcept {
    now = Clocks::ticks();
    const std::uint64_t wall = now - begin_;
    pace_->is_long = wall > long_ticks_;
    if (!has_processor_time_) [[likely]]
      return {wall, 0};
    const Gap gap = measured(wall);
    now = Clocks::ticks();
    return gap;
  }

  // Short times away are set to 0, because they are within the error of the two clocks.
  Gap split(std::uint64_t wall, std::uint64_t computed) const noexcept {
    computed = std::min(computed, wall);
    const std::uint64_t away = wall - computed;
    return {computed, away > std::max(wall / 20, long_ticks_ / 2) ? away : 0};
  }

 private:
  Gap measured(std::uint64_t wall) const noexcept {
    const std::int64_t ns = std::max<std::int64_t>(0, Clocks::thread_ns() - processor_ns_ - question_ns_);
    return split(wall, static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_per_ns_));
  }

  // The least difference between two readings of the processor time without a gap between them.
  static std::int64_t cost_of_question() noexcept {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 16; ++i) {
      const std::int64_t begin = Clocks::thread_ns();
      least = std::min(least, Clocks::thread_ns() - begin);
    }
    return least;
  }

  const std::int64_t question_ns_ = cost_of_question();
  const double ticks_per_ns_;
  const std::uint64_t long_ticks_;
  Pace* pace_ = nullptr;
  std::uint64_t begin_ = 0;
  std::int64_t processor_ns_ = 0;
  bool has_processor_time_ = false, uses_wall_time_ = false;
};
using GapClock = GapClockBy<ProcessorClocks>;

}  // namespace quadrille::recording

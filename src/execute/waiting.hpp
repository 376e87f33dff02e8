// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits. With a core for every rank it spins, and whoever has waited for long sleeps, a sixteenth of the time waited so
// far at most. With more ranks than cores it gives its core to the others, and sleeps until it is woken where that takes long or
// does not help. Either way it drives the transport's progress (progress.hpp), for the first time after some microseconds: most
// waits are over by then, and cost nothing more.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "execute/processor.hpp"
#include "execute/progress.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// Cores on which this process may run.
inline Count usable_core_count() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

// Whether so much time has passed since the last time that it was; looks at the clock now and then only.
class LongSince {
 public:
  explicit LongSince(std::chrono::nanoseconds time) : time_(time) {}

  bool is_over() {
    if (++calls_ % calls_between_looks != 0) return false;
    const auto now = Clock::now();
    if (calls_ == calls_between_looks) last_ = now;
    if (now - last_ < time_) return false;
    last_ = now;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned calls_between_looks = 64;

  const std::chrono::nanoseconds time_;
  unsigned calls_ = 0;
  Clock::time_point last_{};
};

// With a core for every rank. Two may be on one all the same, as long as nobody moves them; sleeping then lets the other go on.
class Backoff {
 public:
  explicit Backoff(const Progress& progress) : progress_(progress) {}

  // Whether it is time to ask if whoever is waited for is still there: now and then in a long wait.
  bool pause() {
    ++pauses_;
    if (pauses_ <= spins) {
      pause_core();
      if (pauses_ % spins_between_polls == 0) progress_.drive();
      return false;
    }
    give_core_away(progress_);
    return (pauses_ - spins) % yields_between_looks == 0 && look_at_clock();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int spins = 4000, spins_between_polls = 64, yields_between_looks = 256;
  static constexpr std::chrono::milliseconds short_wait{1}, longest_sleep{1}, between_questions{100};

  bool look_at_clock() {
    const auto now = Clock::now();
    if (start_ == Clock::time_point{}) start_ = asked_ = now;
    if (now - start_ < short_wait) return false;
    pauses_ = spins + yields_between_looks - 1;  // from now on after every yield
    std::this_thread::sleep_for(std::min<Clock::duration>((now - start_) / 16, longest_sleep));
    if (now - asked_ < between_questions) return false;
    asked_ = now;
    return true;
  }

  const Progress& progress_;
  int pauses_ = 0;
  Clock::time_point start_{}, asked_{};
};

// With more ranks than cores: for how long it yields. Waking a rank takes as long as many switches between those that are awake, so
// long if they hand the core to each other. They may not: a kernel may schedule by sessions, or strangers want the cores, too.
class Patience {
 public:
  Patience(bool yields_hand_over, const Progress& progress) : progress_(progress), hands_over_(yields_hand_over) {}

  // Yields; or is it time to sleep?
  bool is_over() {
    if (over_) {
      progress_.drive();
      return true;
    }
    // A poll may take longer than a yield to another rank and back, so most waits end without one.
    if (++yields_ % yields_between_polls == 0)
      give_core_away(progress_);
    else
      sched_yield();
    if (yields_ % yields_between_looks != 0) return false;
    const auto now = Clock::now();
    if (yields_ == yields_between_looks) start_ = now;
    return over_ = !hands_over_ || now - start_ > long_wait;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int yields_between_polls = 4, yields_between_looks = 16;
  static constexpr std::chrono::milliseconds long_wait{1};

  const Progress& progress_;
  const bool hands_over_;
  bool over_ = false;
  int yields_ = 0;
  Clock::time_point start_{};
};

}  // namespace quadrille

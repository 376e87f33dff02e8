// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits: it spins while there is a core for every rank, and otherwise gives its core to the others. Whoever has waited
// for long sleeps, a sixteenth of the time waited so far at most, so that no core is burned for ever.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "quadrille/types.hpp"

namespace quadrille {

// Cores on which this process may run.
inline Count usable_core_count() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

class Backoff {
 public:
  explicit Backoff(bool core_for_every_rank) : spins_(core_for_every_rank ? 4000 : 0) {}

  // Whether it is time to ask if whoever is waited for is still there: now and then in a long wait.
  bool pause() {
    ++pauses_;
    if (pauses_ <= spins_) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      return false;
    }
    sched_yield();
    return (pauses_ - spins_) % yields_between_looks == 0 && look_at_clock();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int yields_between_looks = 256;
  static constexpr std::chrono::milliseconds short_wait{20}, longest_sleep{1}, between_questions{100};

  bool look_at_clock() {
    const auto now = Clock::now();
    if (start_ == Clock::time_point{}) start_ = asked_ = now;
    if (now - start_ < short_wait) return false;
    pauses_ = spins_ + yields_between_looks - 1;  // from now on after every yield
    std::this_thread::sleep_for(std::min<Clock::duration>((now - start_) / 16, longest_sleep));
    if (now - asked_ < between_questions) return false;
    asked_ = now;
    return true;
  }

  int spins_, pauses_ = 0;
  Clock::time_point start_{}, asked_{};
};

}  // namespace quadrille

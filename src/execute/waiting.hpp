// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits: it spins while there is a core for every rank, and otherwise gives its core to the others.
#pragma once

#include <sched.h>

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

  void pause() {
    if (spun_ < spins_) {
      ++spun_;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    } else {
      sched_yield();
    }
  }

 private:
  int spins_;
  int spun_ = 0;
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// A time stamp of something that this thread has just seen, such as a flag of another one.
#pragma once

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "foundation/system/ticks.hpp"

namespace quadrille {

// Like `ticks`, but the counter is read after all earlier loads have their values. Without that a processor may read the counter
// while it waits for the flag, and the flag seems to be seen before it was set.
inline std::uint64_t ordered_ticks() noexcept {
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
  return ticks();
}

}  // namespace quadrille

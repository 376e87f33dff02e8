// SPDX-License-Identifier: BSD-3-Clause
// Time stamps that cost a few nanoseconds: the processor's time-stamp counter. Its rate is measured against CLOCK_MONOTONIC.
#pragma once

#include <time.h>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace quadrille {

// The counter has a constant rate, independent of the core's frequency (constant_tsc on x86, the generic timer on Arm).
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

// The same moment on both clocks.
struct TickMoment {
  std::uint64_t ticks = 0;
  std::int64_t monotonic_ns = 0;

  static TickMoment now() noexcept;  // takes about 1 us
};

// Ticks per second between two moments; 0 if they are the same.
double tick_rate(const TickMoment& begin, const TickMoment& end) noexcept;

// Converts ticks to seconds. The rate is measured from the loading of this library to the first call.
double seconds_of(double ticks);

// A time stamp of something that this thread has just seen, such as a flag of another thread: like `ticks`, but the counter is
// read after all earlier loads have their values. Otherwise a processor may read the counter while it waits for the flag, so that
// the stamp may be older than the flag's store.
inline std::uint64_t ordered_ticks() noexcept {
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
  return ticks();
}

}  // namespace quadrille

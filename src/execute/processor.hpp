// SPDX-License-Identifier: BSD-3-Clause
// What the executors ask of the processor itself. Each has a plain fallback, so that any processor will do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace quadrille {

// Between two looks at memory that another core will write: gives the core's other hardware thread its turn, and keeps this one
// from looking more often than the other core can answer.
inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile(
      "isb" ::
          : "memory");  // `yield` takes no time at all on most of these; this empties the pipeline, about as long as a pause
#else
  asm volatile("" ::: "memory");
#endif
}

// Whether lines of memory can be written without being read into the cache first. Elsewhere that is not the program's to say: Arm's
// cores see long runs of stores and stop filling lines by themselves.
#if defined(__SSE2__)
constexpr bool streams_stores = true;
#else
constexpr bool streams_stores = false;
#endif

constexpr std::size_t streamed_line = 64;

// Copies `length` bytes, whole lines, to `target`, aligned to a line; past the cache where that is possible. Such stores are in no
// order with any others, not even with those that release, until end_streaming().
inline void stream_lines(std::byte* target, const std::byte* source, std::size_t length) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < length; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
#else
  std::memcpy(target, source, length);
#endif
}

// What has been streamed comes before every store from here on.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace quadrille

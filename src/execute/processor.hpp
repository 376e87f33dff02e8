// SPDX-License-Identifier: BSD-3-Clause
// Instructions that depend on the processor. Each has a portable fallback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace quadrille {

// A pause between two polls of memory that another core will write. It lets the core's other hardware thread run, and reduces the
// traffic of polling.
inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile(
      "isb" ::
          : "memory");  // `yield` is a no-op on most Arm cores; `isb` flushes the pipeline, which takes about as long as a pause
#else
  asm volatile("" ::: "memory");
#endif
}

// For more than about 2 KiB, memcpy and process_vm_readv use the instruction `rep movsb` on processors where this instruction is
// fast. But on AMD's Zen 3 this instruction takes 20 times as long if the target lies 1 to 31 bytes behind the source, modulo the
// page size. An example is a copy from the start of a page to a large block of malloc, which begins 16 bytes behind the start of
// a page.
inline bool are_at_slow_distance(const void* target, const void* source) {
  const std::size_t behind = (reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source)) % 4096;
  return behind > 0 && behind < 32;
}

// As memcpy, but fast at every distance: it copies 2 KiB at a time. For so few bytes memcpy does not use the instruction.
inline void copy_long(std::byte* target, const std::byte* source, std::size_t length) {
  constexpr std::size_t part = 2048;
  if (length > part && are_at_slow_distance(target, source))
    for (; length > part; length -= part, target += part, source += part) std::memcpy(target, source, part);
  std::memcpy(target, source, length);
}

// Whether the program can use non-temporal stores, which write memory without reading its lines into the cache first. Arm cores
// recognise long runs of stores and stop reading lines without special stores.
#if defined(__SSE2__)
constexpr bool streams_stores = true;
#else
constexpr bool streams_stores = false;
#endif

constexpr std::size_t streamed_line = 64;

// Copies `length` bytes to `target`, with non-temporal stores if streams_stores. `target` must be aligned to a line and `length` a
// multiple of it. Until end_streaming(), these stores have no order relative to other stores, including releases.
inline void stream_lines(std::byte* target, const std::byte* source, std::size_t length) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < length; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
#else
  std::memcpy(target, source, length);
#endif
}

// Orders all streamed stores before every later store.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Copying past the caches. What is written by ordinary stores is read into the cache before; where it will be thrown out of there
// before anybody looks at it, that is a third of the traffic for nothing. Whether it is depends on what all ranks together move and
// on who else has the cache, so it is found out in use.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace quadrille {

// As memcpy. Other threads see it as they do any copy: after a store that releases.
inline void copy_streaming(std::byte* target, const std::byte* source, std::size_t length) {
#if defined(__SSE2__)
  constexpr std::size_t line = 64, word = sizeof(__m128i);
  const std::size_t head = std::min(length, (line - reinterpret_cast<std::uintptr_t>(target) % line) % line);
  std::memcpy(target, source, head);
  target += head, source += head, length -= head;
  for (; length >= line; target += line, source += line, length -= line)
    for (std::size_t i = 0; i < line; i += word)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
  _mm_sfence();
#endif
  std::memcpy(target, source, length);
}

// Tries both ways in turn while work that repeats is done its first times, and stays with the faster one: by the least time of
// each, for others may want the core.
class StreamingTrial {
 public:
  static constexpr bool possible =
#if defined(__SSE2__)
      true;
#else
      false;
#endif

  bool streams() const { return streams_; }
  bool is_over() const { return trials_ == 2 * trials_each; }

  // What the work took this time.
  void add(double seconds) {
    double& least = least_[streams_ ? 1 : 0];
    least = std::min(least, seconds);
    ++trials_;
    streams_ = is_over() ? least_[1] < worthwhile * least_[0] : !streams_;
  }

 private:
  static constexpr int trials_each = 5;
  static constexpr double worthwhile = 0.9;  // it leaves nothing in the cache for whoever comes next

  std::array<double, 2> least_{1e9, 1e9};
  int trials_ = 0;
  bool streams_ = false;
};

}  // namespace quadrille

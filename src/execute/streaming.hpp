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

#include "execute/processor.hpp"

namespace quadrille {

// As memcpy. Other threads see it as they do any copy: after a store that releases.
inline void copy_streaming(std::byte* target, const std::byte* source, std::size_t length) {
  const auto past_line = reinterpret_cast<std::uintptr_t>(target) % streamed_line;
  const std::size_t head = std::min(length, (streamed_line - past_line) % streamed_line);
  const std::size_t lines = (length - head) / streamed_line * streamed_line;
  std::memcpy(target, source, head);
  stream_lines(target + head, source + head, lines);
  end_streaming();
  std::memcpy(target + head + lines, source + head + lines, length - head - lines);
}

// Tries both ways in turn while work that repeats is done its first times, and stays with the faster one: by the least time of
// each, for others may want the core.
class StreamingTrial {
 public:
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

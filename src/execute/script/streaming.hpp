// SPDX-License-Identifier: BSD-3-Clause
// Copying with non-temporal stores, which bypass the caches. An ordinary store first reads its line into the cache. If the line
// leaves the cache before it is used, this read was useless, and it is a third of the memory traffic. Whether lines leave the cache
// early depends on the data of all ranks and on other programs. So both kinds of stores are measured while the plan runs.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "execute/processor.hpp"

namespace quadrille {

// As memcpy. As after any copy, a store with release makes the bytes visible to other threads.
inline void copy_streaming(std::byte* target, const std::byte* source, std::size_t length) {
  const auto past_line = reinterpret_cast<std::uintptr_t>(target) % streamed_line;
  const std::size_t head = std::min(length, (streamed_line - past_line) % streamed_line);
  const std::size_t lines = (length - head) / streamed_line * streamed_line;
  std::memcpy(target, source, head);
  stream_lines(target + head, source + head, lines);
  end_streaming();
  std::memcpy(target + head + lines, source + head + lines, length - head - lines);
}

// Chooses between ordinary and non-temporal stores. It alternates between them during the first executions and then keeps the
// faster one. It compares the least time of each, because other programs may have disturbed some executions.
class StreamingTrial {
 public:
  bool streams() const { return streams_; }
  bool is_over() const { return trials_ == 2 * trials_each; }

  // Adds the time of one execution, in seconds.
  void add(double seconds) {
    double& least = least_[streams_ ? 1 : 0];
    least = std::min(least, seconds);
    ++trials_;
    streams_ = is_over() ? least_[1] < worthwhile * least_[0] : !streams_;
  }

 private:
  static constexpr int trials_each = 5;
  static constexpr double worthwhile =
      0.9;  // required gain, because non-temporal stores leave nothing in the cache for later readers

  std::array<double, 2> least_{1e9, 1e9};
  int trials_ = 0;
  bool streams_ = false;
};

}  // namespace quadrille

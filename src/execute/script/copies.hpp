// SPDX-License-Identifier: BSD-3-Clause
// Copies between two lists of regions, and reductions of one list into another. They are prepared once and run often. Long copies
// may bypass the caches.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "execute/processor.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {

// The addresses of a rank's buffers during one execution.
using Bases = ByEnum<Buffer, std::byte*, 4>;

// What a copy does with its target: overwrites it, or combines the source's elements into it. The name of a combining effect says
// which operand is first.
enum class Effect : std::uint8_t { overwrite, combine_source_first, combine_target_first };

// A copy of `length` bytes, repeated over three nested levels, each with a count and two strides.
struct StridedCopy {
  Buffer source_buffer, target_buffer;
  Bytes source, target;  // offsets
  Bytes length;
  struct Level {
    Count count = 1;
    Bytes source_stride = 0, target_stride = 0;
  };
  std::array<Level, 3> levels{};  // innermost first
  Effect effect = Effect::overwrite;
};

// Appends copies that move the bytes of `source` to `target`. Both lists must have the same number of bytes.
void append_copies(std::vector<StridedCopy>& copies, const Regions& source, const Regions& target);

void run_strided(const StridedCopy& copy, const std::byte* source, std::byte* target);

// Runs a copy whose effect is to combine. Each contiguous run is one call of the operator.
void run_reduction(const StridedCopy& copy, const Operator& operation, const Bases& source_bases, const Bases& target_bases);

// As memcpy. Copies of up to 32 B are inlined, because right after a context switch a call of memcpy costs a TLB miss and an
// instruction-cache miss.
inline void copy_bytes(std::byte* target, const std::byte* source, std::size_t length) {
  const auto ends = [&]<class Word>(Word first, Word last) {  // copies the first and the last word; they may overlap
    std::memcpy(&first, source, sizeof first);
    std::memcpy(&last, source + length - sizeof last, sizeof last);
    std::memcpy(target, &first, sizeof first);
    std::memcpy(target + length - sizeof last, &last, sizeof last);
  };
  struct Half {
    std::uint64_t words[2];
  };
  if (length > 32)
    copy_long(target, source, length);
  else if (length >= 16)
    ends(Half{}, Half{});
  else if (length >= 8)
    ends(std::uint64_t{}, std::uint64_t{});
  else if (length >= 4)
    ends(std::uint32_t{}, std::uint32_t{});
  else
    for (std::size_t i = 0; i < length; ++i) target[i] = source[i];
}

// Is the copy a single run of bytes?
inline bool is_straight(const StridedCopy& copy) {
  return copy.levels[0].count == 1 && copy.levels[1].count == 1 && copy.levels[2].count == 1;
}

inline void run_copy(const StridedCopy& copy, const Bases& source_bases, const Bases& target_bases) {
  const std::byte* source = source_bases[copy.source_buffer] + copy.source;
  std::byte* target = target_bases[copy.target_buffer] + copy.target;
  if (is_straight(copy))
    copy_bytes(target, source, static_cast<std::size_t>(copy.length));  // the most frequent case, without loops
  else
    run_strided(copy, source, target);
}

// Are the regions one contiguous run of bytes?
bool is_contiguous(const Regions& regions);

// As memcpy, but with non-temporal stores, which bypass the caches. As after any copy, a store with release makes the bytes visible
// to other threads.
inline void copy_streaming(std::byte* target, const std::byte* source, std::size_t length) {
  const auto past_line = reinterpret_cast<std::uintptr_t>(target) % streamed_line;
  const std::size_t head = std::min(length, (streamed_line - past_line) % streamed_line);
  const std::size_t lines = (length - head) / streamed_line * streamed_line;
  std::memcpy(target, source, head);
  stream_lines(target + head, source + head, lines);
  end_streaming();
  std::memcpy(target + head + lines, source + head + lines, length - head - lines);
}

// Chooses between ordinary and non-temporal stores. An ordinary store first reads its line into the cache. If the line leaves the
// cache before it is used, this read was useless; it is a third of the memory traffic. Whether lines leave the cache early
// depends on the data of all ranks and on other programs. So the plan measures both kinds of stores. It alternates between them
// during the first executions, and keeps the faster kind afterwards. It compares the least time of each kind, because other
// programs may have disturbed some executions.
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
      0.9;  // non-temporal stores must take less than this part of the time: they leave nothing in the cache for later readers

  std::array<double, 2> least_{1e9, 1e9};
  int trials_ = 0;
  bool streams_ = false;
};

}  // namespace quadrille

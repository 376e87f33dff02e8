// SPDX-License-Identifier: BSD-3-Clause
// Copies between two lists of regions, and reductions of one into the other, prepared once and run often.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {

// Where a rank's buffers are during one execution.
using Bases = ByEnum<Buffer, std::byte*, 4>;

// What becomes of the target: the source's bytes, or its elements combined with them.
enum class Effect : std::uint8_t { overwrite, combine_source_first, combine_target_first };

// `length` bytes, repeated over three nested levels with a stride on either side.
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

// Appends copies that move the bytes of `source` to `target`, lists of the same number of bytes.
void append_copies(std::vector<StridedCopy>& copies, const Regions& source, const Regions& target);

void run_strided(const StridedCopy& copy, const std::byte* source, std::byte* target);

// For copies whose effect is to combine; every contiguous run is a call of the operator.
void run_reduction(const StridedCopy& copy, const Operator& operation, const Bases& source_bases, const Bases& target_bases);

// As memcpy. Few bytes are copied here, so that a process that has just got its core need not find the C library's page first.
inline void copy_bytes(std::byte* target, const std::byte* source, std::size_t length) {
  const auto ends = [&]<class Word>(Word first, Word last) {  // which may overlap each other
    std::memcpy(&first, source, sizeof first);
    std::memcpy(&last, source + length - sizeof last, sizeof last);
    std::memcpy(target, &first, sizeof first);
    std::memcpy(target + length - sizeof last, &last, sizeof last);
  };
  struct Half {
    std::uint64_t words[2];
  };
  if (length > 32)
    std::memcpy(target, source, length);
  else if (length >= 16)
    ends(Half{}, Half{});
  else if (length >= 8)
    ends(std::uint64_t{}, std::uint64_t{});
  else if (length >= 4)
    ends(std::uint32_t{}, std::uint32_t{});
  else
    for (std::size_t i = 0; i < length; ++i) target[i] = source[i];
}

// One run of bytes?
inline bool is_straight(const StridedCopy& copy) {
  return copy.levels[0].count == 1 && copy.levels[1].count == 1 && copy.levels[2].count == 1;
}

inline void run_copy(const StridedCopy& copy, const Bases& source_bases, const Bases& target_bases) {
  const std::byte* source = source_bases[copy.source_buffer] + copy.source;
  std::byte* target = target_bases[copy.target_buffer] + copy.target;
  if (is_straight(copy))
    copy_bytes(target, source, static_cast<std::size_t>(copy.length));  // most copies: spare them the loops
  else
    run_strided(copy, source, target);
}

// The list as one contiguous region, if it is one.
bool is_contiguous(const Regions& regions);

}  // namespace quadrille

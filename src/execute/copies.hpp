// SPDX-License-Identifier: BSD-3-Clause
// Copies between two lists of regions, prepared once and run often.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Where a rank's buffers are during one execution, by Buffer.
using Bases = std::array<std::byte*, 4>;

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
};

// Appends copies that move the bytes of `source` to `target`, lists of the same number of bytes.
void append_copies(std::vector<StridedCopy>& copies, const Regions& source, const Regions& target);

void run_copy(const StridedCopy& copy, const std::byte* source_base, std::byte* target_base);

inline void run_copy(const StridedCopy& copy, const Bases& source_bases, const Bases& target_bases) {
  run_copy(copy, source_bases[static_cast<std::size_t>(copy.source_buffer)], target_bases[static_cast<std::size_t>(copy.target_buffer)]);
}

// The list as one contiguous region, if it is one.
bool is_contiguous(const Regions& regions);

}  // namespace quadrille

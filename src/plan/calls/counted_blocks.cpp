// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/counted_blocks.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"

namespace quadrille {

void CountedBlocks::refuse_lengths() const {
  const bool are_counts = size(blocks.counts) != length;
  throw Error(ErrorCode::misuse,
              fmt::format("{} has {} {}{}{} for {} {}", function, are_counts ? blocks.counts.size() : blocks.displacements->size(),
                          side, *side ? "_" : "", are_counts ? "counts" : "displacements", length, peers));
}

void CountedBlocks::refuse(Count block, Count first, Count count) const {
  const char* const dash = *side ? "_" : "";
  if (count < 0)
    throw Error(ErrorCode::misuse, fmt::format("{}{}counts[{}] is {}; counts are 0 or more", side, dash, block, count));
  if (!checked_sum(first, count)) throw Error(ErrorCode::too_large, fmt::format("the {}{}counts reach 2^63 elements", side, dash));
  if (first < 0)
    throw Error(ErrorCode::misuse,
                fmt::format("{}{}displacements[{}] is {}; displacements are 0 or more", side, dash, block, first));
  throw Error(ErrorCode::misuse, fmt::format("{}{}counts[{}] is {} from element {} on, and the {} has {} elements", side, dash,
                                             block, count, first, buffer, elements));
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/counted_blocks.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"

namespace quadrille {

void CountedBlocks::check_lengths() const {
  const std::string_view dash = side.empty() ? "" : "_";
  const auto check = [&](const CountList& list, std::string_view what) {
    if (static_cast<Count>(list.size()) != length)
      throw Error(ErrorCode::misuse,
                  fmt::format("{} has {} {}{}{} for {} {}", function, list.size(), side, dash, what, length, peers));
  };
  check(blocks.counts, "counts");
  if (blocks.displacements) check(*blocks.displacements, "displacements");
}

void CountedBlocks::refuse(Count block, Count first, Count count) const {
  const std::string_view dash = side.empty() ? "" : "_";
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

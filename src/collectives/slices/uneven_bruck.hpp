// SPDX-License-Identifier: BSD-3-Clause
// Bruck's index algorithm [bruck1997] for blocks of different sizes [fan2022]. A receiver does not know the sizes of
// the blocks that it gets. So either sizes are sent, or all blocks are padded to the same length. Sizes and padding are
// counted as control messages, apart from the data.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

enum class Overhead : std::uint8_t {
  sizes,    // the sizes of its blocks are sent ahead of each message
  padding,  // each block is padded to the length of the longest; all ranks first agree on this length
};

inline constexpr Bytes size_bytes = 8;  // of a count in a message

Program uneven_bruck(const Problem& problem, Count radix, Overhead overhead, Rank me);

Parameter uneven_bruck_radix();

}  // namespace quadrille

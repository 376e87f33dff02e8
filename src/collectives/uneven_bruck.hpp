// SPDX-License-Identifier: BSD-3-Clause
// Bruck's index algorithm [bruck1997] for blocks of different sizes [fan2022]. A rank must be told what it gets, or be sent
// so much that it need not be told; either is counted as control messages, apart from the data.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

enum class Overhead : std::uint8_t {
  sizes,    // before each message goes one with the sizes of its blocks
  padding,  // with each block goes what it lacks to the longest, which all ranks agree upon first
};

inline constexpr Bytes size_bytes = 8;  // of a count on its way

Program uneven_bruck(const Problem& problem, Count radix, Overhead overhead, Rank me);

Parameter uneven_bruck_radix();

}  // namespace quadrille

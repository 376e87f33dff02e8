// SPDX-License-Identifier: BSD-3-Clause
// Who tells whom what in the concatenation algorithm [bruck1997, section 4]. The *role* j of a rank i is the block of rank
// i - j. What a rank is to know is a line of bytes: role 0, role 1, .., each from its last byte to its first. Ranks
// stand in descending order on that line, so that where blocks lie in rank order any part of it is one run of memory.
#pragma once

#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// Every rank i learns bytes [first, last) of its line from rank i - offset.
struct ConcatenationPiece {
  Count offset = 0;
  Bytes first = 0;
  Bytes last = 0;
  bool operator==(const ConcatenationPiece&) const = default;
};

using ConcatenationRounds = std::vector<std::vector<ConcatenationPiece>>;

// What to do where one last round cannot have the least volume.
enum class LastRound : std::uint8_t {
  one,   // keep to the least number of rounds, at `excess` bytes above the least volume
  two,   // keep to the least volume, in one round more
  best,  // one, unless the excess is above `startup_worth_bytes`
};

// Bytes that take about as long as a start-up on present networks (a microsecond or two, some GB/s).
constexpr Bytes startup_worth_bytes = 8192;

// Rounds of at most `ports` pieces for p blocks of `block_bytes`, 1 <= ports <= max(1, p - 1).
ConcatenationRounds concatenation_rounds(Count p, Count ports, Bytes block_bytes, LastRound last_round);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// The messages of the concatenation algorithm [bruck1997, section 4]. *Role* j of rank i is the block of rank i - j.
// The data that a rank has to learn is treated as a line of bytes: role 0, role 1, and so on, where each block runs
// from its last byte to its first. Role j + 1 belongs to the rank below that of role j. So the line runs through the
// output buffer backwards, and any part of the line is contiguous in memory (with at most one wrap-around).
#pragma once

#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// In this message every rank i receives bytes [first, last) of its line from rank i - offset.
struct ConcatenationMessage {
  Count offset = 0;
  Bytes first = 0;
  Bytes last = 0;
  bool operator==(const ConcatenationMessage&) const = default;
};

using ConcatenationRounds = std::vector<std::vector<ConcatenationMessage>>;

// What to do if the smallest number of rounds does not allow the smallest volume.
enum class LastRound : std::uint8_t {
  one,   // the smallest number of rounds; the volume exceeds the minimum by `excess`
  two,   // the smallest volume, with one round more
  best,  // as `one`, unless the excess is above `startup_worth_bytes`
};

// The number of bytes whose transfer takes about as long as a start-up on present networks (one or two microseconds at
// some GB/s).
constexpr Bytes startup_worth_bytes = 8192;

// The rounds for p blocks of `block_bytes`, with at most `ports` messages in each round; 1 <= ports <= max(1, p - 1).
ConcatenationRounds concatenation_rounds(Count p, Count ports, Bytes block_bytes, LastRound last_round);

}  // namespace quadrille

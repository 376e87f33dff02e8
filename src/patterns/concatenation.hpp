// SPDX-License-Identifier: BSD-3-Clause
// The messages of the concatenation algorithm [bruck1997, section 4]. *Role* j of rank i is the block of rank i - j. The data
// that a rank has to learn is treated as a line of bytes: role 0, role 1, and so on, where each block runs from its last byte to
// its first. The block of role j + 1 is that of the rank below the rank of role j. So the line runs through the output buffer
// backwards, and any part of the line is contiguous in memory, except that it may wrap around once.
#pragma once

#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// Cuts a table into areas of about equal size, for the last round of the concatenation algorithm [bruck1997, section
// 4]. A column is a block that every rank still lacks, a row is one byte of each of these blocks, and an area is the
// data of one port.
//
// Cells [first, last), counted column by column: cell (column, row) has the number column * rows + row.
struct TableArea {
  Count first = 0;
  Count last = 0;
  Count offset = 0;  // distance, in ranks, that the area's message travels
  bool operator==(const TableArea&) const = default;
};

struct TablePartition {
  Count longest = 0;  // largest number of cells in an area
  std::vector<TableArea> areas;
};

// Cuts the table into at most `ports` areas of at most `window` columns each, so that the longest area is as short as
// possible. The longest area has at least ceil(columns * rows / ports) cells. A greedy cut finds out whether a length
// is possible, so bisection finds the smallest possible length. An area on columns lo .. hi gets an offset in
// hi + 1 .. window + lo, and all offsets differ. Requires rows >= 1, columns <= ports * window, and ports <= window or
// columns == ports (one column per area).
TablePartition partition_table(Count columns, Count rows, Count ports, Count window);

// In this message every rank i receives bytes [first, last) of its line from rank i - offset.
struct ConcatenationMessage {
  Count offset = 0;
  Bytes first = 0;
  Bytes last = 0;
  bool operator==(const ConcatenationMessage&) const = default;
};

using ConcatenationRounds = std::vector<std::vector<ConcatenationMessage>>;

// Which minimum to choose if the smallest number of rounds does not allow the smallest volume.
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

// SPDX-License-Identifier: BSD-3-Clause
// Cuts a table into areas of about equal size, for the last round of the concatenation algorithm [bruck1997, section
// 4]. A column is a block that every rank still lacks, a row is one byte of each of these blocks, and an area is the
// data of one port.
#pragma once

#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

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

}  // namespace quadrille

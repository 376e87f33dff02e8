// SPDX-License-Identifier: BSD-3-Clause
// Cutting a table into areas of about equal size: the last round of the concatenation algorithm [bruck1997, section 4]. A
// column is a block that every rank still lacks, a row one of its bytes, an area what one port carries.
#pragma once

#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// Cells [first, last) in the order of columns: cell (column, row) is number column * rows + row.
struct TableArea {
  Count first = 0;
  Count last = 0;
  Count offset = 0;  // how far the area's message goes
  bool operator==(const TableArea&) const = default;
};

struct TablePartition {
  Count longest = 0;  // cells that an area may have
  std::vector<TableArea> areas;
};

// Cuts the table into at most `ports` areas that span at most `window` columns each, so that the longest is as short as any
// such cut allows: at least ceil(columns * rows / ports). The greedy cut is exact, hence bisection finds the length.
// The offset of an area on columns lo .. hi is in hi + 1 .. window + lo, and no two areas have the same.
// Needs rows >= 1, columns <= ports * window, and ports <= window or columns == ports (one column an area).
TablePartition partition_table(Count columns, Count rows, Count ports, Count window);

}  // namespace quadrille

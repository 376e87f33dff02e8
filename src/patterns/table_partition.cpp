// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/table_partition.hpp"

#include <algorithm>

#include "foundation/assert.hpp"

namespace quadrille {
namespace {

struct Table {
  Count columns, rows, ports, window;

  Count cells() const { return columns * rows; }

  // The end of the area that begins at cell `first`.
  Count end_of_area(Count first, Count longest) const {
    const Count last_column = std::min(columns, first / rows + window);
    return std::min(first + longest, last_column * rows);
  }

  bool fits(Count longest) const {
    Count first = 0;
    for (Count area = 0; area < ports && first < cells(); ++area) first = end_of_area(first, longest);
    return first == cells();
  }
};

}  // namespace

TablePartition partition_table(Count columns, Count rows, Count ports, Count window) {
  QUADRILLE_ASSERT(rows >= 1 && columns <= ports * window && (ports <= window || columns == ports));
  const Table table{columns, rows, ports, window};
  Count longest = ceil_divide(table.cells(), ports);
  Count enough = ceil_divide(columns, ports) * rows;  // cutting at whole columns always fits
  while (longest < enough) {
    const Count middle = longest + (enough - longest) / 2;
    if (table.fits(middle))
      enough = middle;
    else
      longest = middle + 1;
  }

  TablePartition partition{longest, {}};
  for (Count first = 0; first < table.cells(); first = partition.areas.back().last)
    partition.areas.push_back({first, table.end_of_area(first, longest), 0});
  // From the last area to the first, each takes the largest offset that is still free. So the offsets of areas that
  // begin in the same column decrease by one. At most `window` areas begin in one column, so the offset of an area is
  // always larger than its last column.
  Count free = columns + window;
  for (auto area = partition.areas.rbegin(); area != partition.areas.rend(); ++area) {
    area->offset = std::min(window + area->first / rows, free);
    free = area->offset - 1;
  }
  return partition;
}

}  // namespace quadrille

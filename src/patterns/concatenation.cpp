// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/concatenation.hpp"

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
  // Areas choose their offsets from the last area to the first. Each takes the largest offset that is still free. So the offsets
  // of areas that begin in the same column decrease by one. At most `window` areas begin in one column, so the offset of an area
  // is always larger than its last column.
  Count free = columns + window;
  for (auto area = partition.areas.rbegin(); area != partition.areas.rend(); ++area) {
    area->offset = std::min(window + area->first / rows, free);
    free = area->offset - 1;
  }
  return partition;
}

ConcatenationRounds concatenation_rounds(Count p, Count ports, Bytes block_bytes, LastRound last_round) {
  ConcatenationRounds rounds;
  if (p == 1 || block_bytes == 0) return rounds;

  // A rank that knows `known` roles sends all of them to `ports` other ranks, until one round can transfer the rest.
  Count known = 1;
  for (; known < ceil_divide(p, ports + 1); known *= ports + 1) {
    auto& round = rounds.emplace_back();
    for (Count port = 1; port <= ports; ++port)
      round.push_back({port * known, port * known * block_bytes, (port + 1) * known * block_bytes});
  }

  // The missing roles form the columns of a table. A message can cover at most as many columns as its sender
  // knows roles.
  Count missing = p - known;
  TablePartition partition = partition_table(missing, block_bytes, ports, known);
  const Bytes excess = partition.longest - ceil_divide(missing * block_bytes, ports);
  if (excess > 0 && (last_round == LastRound::two || (last_round == LastRound::best && excess > startup_worth_bytes))) {
    auto& round = rounds.emplace_back();
    for (Count port = 0; port < ports; ++port, ++known)
      round.push_back({known, known * block_bytes, (known + 1) * block_bytes});  // every rank sends its own block
    missing -= ports;
    partition = partition_table(missing, block_bytes, ports, known);
  }
  auto& round = rounds.emplace_back();
  for (const TableArea& area : partition.areas)
    round.push_back({area.offset, known * block_bytes + area.first, known * block_bytes + area.last});
  return rounds;
}

}  // namespace quadrille

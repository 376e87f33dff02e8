// SPDX-License-Identifier: BSD-3-Clause
// Cutting tables: every cell is in one area, spans and offsets are as promised, and an exhaustive search finds no
// shorter cut.
#include "patterns/concatenation.hpp"

#include <gtest/gtest.h>

#include <set>

#include "patterns/integers.hpp"

namespace quadrille {
namespace {

// Checks all promises of partition_table except that the length is minimal.
void expect_valid(const TablePartition& partition, Count columns, Count rows, Count ports, Count window) {
  SCOPED_TRACE(::testing::Message() << columns << " columns, " << rows << " rows, " << ports << " ports, window " << window);
  ASSERT_LE(static_cast<Count>(partition.areas.size()), ports);
  Count next = 0;
  std::set<Count> offsets;
  for (const TableArea& area : partition.areas) {
    ASSERT_EQ(area.first, next) << "no gap, no cell twice";
    ASSERT_GT(area.last, area.first);
    ASSERT_LE(area.last - area.first, partition.longest);
    const Count low = area.first / rows, high = (area.last - 1) / rows;
    ASSERT_LE(high - low + 1, window);
    ASSERT_GE(area.offset, high + 1);
    ASSERT_LE(area.offset, window + low);
    ASSERT_TRUE(offsets.insert(area.offset).second);
    next = area.last;
  }
  ASSERT_EQ(next, columns * rows);
}

// Searches exhaustively for a cut into `ports` areas of at most `longest` cells that span at most `window` columns.
bool some_cut_fits(Count columns, Count rows, Count ports, Count window, Count longest, Count first = 0) {
  if (first == columns * rows) return true;
  if (ports == 0) return false;
  for (Count last = first + 1; last <= std::min(columns * rows, first + longest); ++last)
    if ((last - 1) / rows - first / rows + 1 <= window && some_cut_fits(columns, rows, ports - 1, window, longest, last))
      return true;
  return false;
}

TEST(TablePartition, IsValidForAllTables) {
  for (Count ports = 1; ports <= 9; ++ports)
    for (Count window = ports; window <= 12; ++window)
      for (Count columns = 1; columns <= ports * window; ++columns)
        for (Count rows = 1; rows <= 9; ++rows) {
          expect_valid(partition_table(columns, rows, ports, window), columns, rows, ports, window);
          if (HasFatalFailure()) return;
        }
  for (Count columns = 1; columns <= 12; ++columns)
    for (Count rows = 1; rows <= 9; ++rows) expect_valid(partition_table(columns, rows, columns, 1), columns, rows, columns, 1);
}

TEST(TablePartition, IsTheShortestCut) {
  for (Count ports = 1; ports <= 3; ++ports)
    for (Count window = ports; window <= 4; ++window)
      for (Count columns = 1; columns <= ports * window; ++columns)
        for (Count rows = 1; rows <= 5; ++rows) {
          const Count longest = partition_table(columns, rows, ports, window).longest;
          ASSERT_GE(longest * ports, columns * rows);
          ASSERT_FALSE(some_cut_fits(columns, rows, ports, window, longest - 1))
              << columns << ' ' << rows << ' ' << ports << ' ' << window;
        }
}

TEST(TablePartition, CutsTheTableOfThePaper) {  // areas of 7, 7 and 7 cells with offsets 3, 5, 7
  const TablePartition partition = partition_table(7, 3, 3, 3);
  EXPECT_EQ(partition.areas, (std::vector<TableArea>{{0, 7, 3}, {7, 14, 5}, {14, 21, 7}}));
}

TEST(TablePartition, AcceptsTablesLargerThanAnyMemory) {
  const Count rows = Count{1} << 50;  // 15 ranks on 3 ports: 11 columns; an area spans at most 4
  EXPECT_EQ(partition_table(11, rows, 3, 4).longest, ceil_divide(11 * rows, 3) + rows / 3);
}

TEST(Grid, IsTheMostSquareOne) {
  for (Count p = 1; p <= 300; ++p) {
    const Count rows = most_square_rows(p);
    ASSERT_EQ(p % rows, 0);
    ASSERT_LE(rows, p / rows);
    for (Count other = rows + 1; other * other <= p; ++other) ASSERT_NE(p % other, 0) << p;
  }
  EXPECT_EQ(most_square_rows(16), 4);
  EXPECT_EQ(most_square_rows(12), 3);
  EXPECT_EQ(most_square_rows(13), 1);
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/sheet.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(Sheets, AreCsv) {
  const Sheet sheet{.columns = {"nodes", "time, model (ms)", "note"},
                    .rows = {{Count{16}, 0.125, std::string("a \"spike\"")}, {64.0, Cell{}, std::string("two\nlines")}}};
  EXPECT_EQ(csv_of(sheet), "nodes,\"time, model (ms)\",note\r\n16,0.125,\"a \"\"spike\"\"\"\r\n64,,\"two\nlines\"\r\n");
}

TEST(Sheets, WriteWholeNumbersInFull) {
  EXPECT_EQ(cell_text(Count{9007199254740993}), "9007199254740993");
  EXPECT_EQ(cell_text(123456789.0), "123456789");
  EXPECT_EQ(cell_text(1e15), "1e+15");
  EXPECT_EQ(cell_text(1234567.5), "1.23457e+06");
  EXPECT_EQ(cell_text(-0.25), "-0.25");
  EXPECT_EQ(cell_text(Cell{}), "");
}

TEST(Sheets, HaveNumbersInCellsOfCountsAndMeasures) {
  EXPECT_EQ(cell_number(Count{3}), 3.0);
  EXPECT_EQ(cell_number(0.5), 0.5);
  EXPECT_EQ(cell_number(std::string("3")), std::nullopt);
  EXPECT_EQ(cell_number(Cell{}), std::nullopt);
}

}  // namespace
}  // namespace quadrille

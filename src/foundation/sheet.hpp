// SPDX-License-Identifier: BSD-3-Clause
// Tables of numbers and words. They become CSV files, and plots show their columns.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

using Cell = std::variant<std::monostate, Count, double, std::string>;  // empty if there is no value

// A table whose column headings name the units; it becomes one CSV file.
struct Sheet {
  std::string name;  // distinguishes sheets that belong together: "a"
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // each row has one cell for each column
};

// Returns the cell's number; nothing if it is empty or has words.
std::optional<double> cell_number(const Cell& cell);

// Returns the cell's words, or its number with six significant digits; whole numbers are exact.
std::string cell_text(const Cell& cell);

// Returns a sheet as CSV (RFC 4180): text that contains a comma, a quotation mark or a line break is quoted.
std::string csv_of(const Sheet& sheet);

}  // namespace quadrille

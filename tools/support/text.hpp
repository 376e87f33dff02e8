// SPDX-License-Identifier: BSD-3-Clause
// Formats numbers, tables and bar charts for people; and JSON as the command prints it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "foundation/text/wording.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/types.hpp"

namespace quadrille::command {

std::string seconds_text(double seconds);                      // with three digits: "12.3 µs"
std::string seconds_text(double seconds, double clock_bound);  // adds the clock's error if it matters: "12.3 µs ± 12 %"

std::size_t width_of(std::string_view text);  // columns that a UTF-8 text takes
std::size_t terminal_width();                 // COLUMNS, else the width of the terminal on stdout, else 100

// Breaks `text` at spaces into lines of at most `width` columns. The first line is assumed to begin at column `begin` and is not
// padded; the others are indented to column `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t begin = 0);

std::string listed(std::vector<std::string> words);  // "a, b and c"; empty for none

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
  bool same_unit = false;  // same unit as the column before, with which it is compared
};

// A size in bytes, or the smallest and largest of several.
struct Sizes {
  std::vector<Bytes> bytes;
};

// The content of a cell: text, or sizes.
struct TableCell {
  TableCell(std::string words) : text(std::move(words)) {}
  TableCell(const char* words) : text(words) {}
  TableCell(Sizes of) : sizes(std::move(of.bytes)) {}

  std::string text;
  std::vector<Bytes> sizes;
};

// Rows under headings. Each column is as wide as its widest cell, and all sizes of a column are in one unit.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<TableCell> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<ByteUnit> units() const;  // the unit of each column

  std::vector<Column> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

struct Bar {
  std::string label;
  double least = 0, median = 0, most = 0;  // seconds
};

// Draws one line per bar, all on one scale: solid up to the least, shaded up to the most, with the median marked.
std::string bar_chart(const std::vector<Bar>& bars, std::size_t width);

// JSON as the command prints it: keys keep the order in which they were written, and invalid UTF-8 in text is repaired.

using Json = nlohmann::ordered_json;

std::string to_text(const Json& json);
Json to_json(const ParameterValue& value);
Json to_json(const Parameters& parameters);

}  // namespace quadrille::command

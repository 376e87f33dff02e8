// SPDX-License-Identifier: BSD-3-Clause
// Numbers, tables and bars for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::command {

struct ByteUnit {
  std::string_view name = "B";
  Bytes bytes = 1;
};

// The largest of B, KiB, MiB, GiB and TiB that divides all `sizes`, so that each prints exactly. B where all are 0.
ByteUnit common_unit(std::span<const Bytes> sizes);

std::string bytes_text(Bytes bytes, const ByteUnit& unit);     // a multiple of it: "1920 B"
std::string bytes_text(Bytes bytes);                           // in its largest unit: "8 B", "64 KiB", "1000 B"
std::string seconds_text(double seconds);                      // three digits: "12.3 µs"
std::string seconds_text(double seconds, double clock_bound);  // "12.3 µs ± 12 %", where that much is worth a remark

std::size_t width_of(std::string_view text);  // of UTF-8, in columns
std::size_t terminal_width();                 // what COLUMNS says, or else the terminal on stdout; 100 where there is neither

// `text` broken at spaces into lines that end at column `width` at the latest; the first begins at column `begin`, and is not
// padded up to it, the others at column `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t begin = 0);

std::string listed(std::vector<std::string> words);  // "a, b and c"; empty for none

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
  bool same_unit = false;  // as the column before, with which it is compared
};

// A size, or the smallest and the largest of several.
struct Sizes {
  std::vector<Bytes> bytes;
};

// Words, or sizes.
struct TableCell {
  TableCell(std::string words) : text(std::move(words)) {}
  TableCell(const char* words) : text(words) {}
  TableCell(Sizes of) : sizes(std::move(of.bytes)) {}

  std::string text;
  std::vector<Bytes> sizes;
};

// Rows under headings, columns as wide as they need to be, all sizes of a column in their common unit.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<TableCell> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<ByteUnit> units() const;  // of each column

  std::vector<Column> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

struct Bar {
  std::string label;
  double least = 0, median = 0, most = 0;  // seconds
};

// One line a bar: solid to the least, shaded to the most, the median marked; all on one scale.
std::string bar_chart(const std::vector<Bar>& bars, std::size_t width);

}  // namespace quadrille::command

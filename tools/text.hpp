// SPDX-License-Identifier: BSD-3-Clause
// Numbers, tables and bars for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::command {

std::string bytes_text(Bytes bytes);                           // exact: "8 B", "64 KiB", "1000 B"
std::string seconds_text(double seconds);                      // three digits: "12.3 µs"
std::string seconds_text(double seconds, double clock_bound);  // "12.3 µs ± 12 %", where that much is worth a remark

std::size_t width_of(std::string_view text);  // of UTF-8, in columns
std::size_t terminal_width();                 // of stdout; 100 where it is no terminal

// `text` broken at spaces into lines of at most `width` columns, all but the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
};

// Rows under headings, columns as wide as they need to be.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

struct Bar {
  std::string label;
  double least = 0, median = 0, most = 0;  // seconds
};

// One line a bar: solid to the least, shaded to the most, the median marked; all on one scale.
std::string bar_chart(const std::vector<Bar>& bars, std::size_t width);

}  // namespace quadrille::command

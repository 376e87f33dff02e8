// SPDX-License-Identifier: BSD-3-Clause
// Formats numbers and tables for the text report.
#pragma once

#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

std::string count_words(Count count);                                       // "10,000"
std::string bytes_words(double bytes);                                      // "8 B", "1.5 KiB": three digits
std::string seconds_words(double seconds);                                  // "12.3 µs"
std::string share_words(double share);                                      // "37 %", "1.2 %", "<0.1 %"
std::string ranks_words(const std::vector<Rank>& ranks, std::size_t most);  // "0, 2..5 and 7", "0..3 and 12 more"

// A table whose columns are as wide as their widest cell. `is_left`: for each column, whether its cells are left-aligned.
class WordTable {
 public:
  explicit WordTable(std::vector<bool> is_left) : is_left_(std::move(is_left)) {}
  void add(std::vector<std::string> row) { lines_.push_back({std::move(row), {}}); }
  void note(std::string text) { lines_.push_back({{}, std::move(text)}); }  // a line below the last row
  std::string text(std::size_t note_indent, std::size_t width) const;       // notes are wrapped at `width`

 private:
  struct Line {
    std::vector<std::string> cells;
    std::string note;
  };
  std::vector<bool> is_left_;
  std::vector<Line> lines_;
};

}  // namespace quadrille::mpi_face

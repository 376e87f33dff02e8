// SPDX-License-Identifier: BSD-3-Clause
#include "options/counts_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "foundation/text/parsing.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_side = Count{1} << 24;
constexpr std::string_view spaces = " \t\r";

// Reads a text line by line. Its errors name the current line.
class Lines {
 public:
  Lines(std::string_view text, const std::string& label) : rest_(text), label_(label) {}

  // Goes to the next line; returns false at the end. Skips empty lines and lines that begin with `comment`.
  bool next(char comment) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line_ = trimmed(rest_.substr(0, end));
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      ++number_;
      if (!line_.empty() && line_[0] != comment) return true;
    }
    return false;
  }

  std::string_view line() const { return line_; }

  std::vector<std::string_view> words() const {
    std::vector<std::string_view> list;
    for (std::string_view rest = line_; !rest.empty();) {
      const std::size_t end = rest.find_first_of(spaces);
      list.push_back(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : trimmed(rest.substr(end));
    }
    return list;
  }

  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::malformed, fmt::format("{}, line {}: {}", label_, number_, sentence));
  }

  Count whole(std::string_view word, std::string_view what, Count least, Count most) const {
    Count number = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (status == std::errc::invalid_argument || end != word.data() + word.size())
      fail(fmt::format("expected {}, a whole number, found '{}'", what, word));
    if (status != std::errc{} || number < least || number > most)
      fail(fmt::format("{} is {}; it must be {} to {}", what, word, least, most));
    return number;
  }

  Bytes bytes(std::string_view word) const { return whole(word, "a number of bytes", 0, std::numeric_limits<Bytes>::max()); }

 private:
  std::string_view rest_, line_;
  const std::string& label_;
  Count number_ = 0;
};

CountsFile parse_csv(Lines lines) {
  CountsFile counts;
  while (lines.next('#')) {
    const auto fields = split(lines.line(), ',');
    const auto width = size(fields);
    if (counts.rows > 0 && width != counts.columns)
      lines.fail(fmt::format("expected {} numbers as in the rows before, found {}", counts.columns, width));
    counts.columns = width;
    for (Count column = 0; column < width; ++column) {
      const std::string_view field = trimmed(fields[index(column)]);
      if (field.empty()) lines.fail(fmt::format("number {} is missing", column + 1));
      try {
        if (const Bytes bytes = parse_size(field); bytes > 0) counts.entries.push_back({counts.rows, column, bytes});
      } catch (const Error& error) {
        lines.fail(error.what());
      }
    }
    ++counts.rows;
  }
  return counts;
}

class MatrixMarket {
 public:
  MatrixMarket(Lines lines, Bytes block_bytes) : lines_(lines), block_bytes_(block_bytes) {}

  CountsFile parse() && {
    read_banner();
    if (!lines_.next('%')) lines_.fail("expected the size of the matrix, found the end");
    const auto sizes = lines_.words();
    if (sizes.size() != (coordinates_ ? 3 : 2))
      lines_.fail(
          fmt::format("expected {}, found '{}'", coordinates_ ? "rows, columns and entries" : "rows and columns", lines_.line()));
    counts_.rows = lines_.whole(sizes[0], "the number of rows", 1, most_side);
    counts_.columns = lines_.whole(sizes[1], "the number of columns", 1, most_side);
    if (symmetric_ && counts_.rows != counts_.columns) lines_.fail("a symmetric matrix has as many rows as columns");
    if (coordinates_)
      read_coordinates(lines_.whole(sizes[2], "the number of entries", 0, counts_.rows * counts_.columns));
    else
      read_array();
    if (lines_.next('%')) lines_.fail(fmt::format("expected the end, found '{}'", lines_.line()));
    return std::move(counts_);
  }

 private:
  void read_banner() {
    lines_.next('\0');
    const auto words = lines_.words();
    const auto lower = [](std::string_view word) {
      std::string text(word);
      std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return text;
    };
    if (words.size() != 5 || lower(words[1]) != "matrix") lines_.fail("expected '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
    const auto one_of = [&](std::size_t place, const std::vector<std::string>& known) {
      const auto found = std::find(known.begin(), known.end(), lower(words[place]));
      if (found == known.end()) lines_.fail(fmt::format("expected {}, found '{}'", fmt::join(known, " or "), words[place]));
      return *found;
    };
    coordinates_ = one_of(2, {"coordinate", "array"}) == "coordinate";
    field_ = one_of(3, {"integer", "real", "pattern"});
    symmetric_ = one_of(4, {"general", "symmetric"}) == "symmetric";
    if (!coordinates_ && field_ == "pattern") lines_.fail("an array has numbers, no pattern");
  }

  Bytes value(std::string_view word) const {
    if (field_ == "integer") return lines_.bytes(word);
    const auto number = number_in<double>(word);
    if (!number) lines_.fail(fmt::format("expected a number of bytes, found '{}'", word));
    if (!(*number >= 0 && *number < 0x1p63) || *number != std::floor(*number))
      lines_.fail(fmt::format("a number of bytes is whole and 0 or more, and not {}", word));
    return static_cast<Bytes>(*number);
  }

  void add(Count row, Count column, Bytes bytes) {
    if (bytes == 0) return;
    counts_.entries.push_back({row, column, bytes});
    if (symmetric_ && row != column) counts_.entries.push_back({column, row, bytes});
  }

  void read_coordinates(Count entries) {
    std::set<std::pair<Count, Count>> seen;
    for (Count i = 0; i < entries; ++i) {
      if (!lines_.next('%')) lines_.fail(fmt::format("expected {} entries, found {}", entries, i));
      const auto words = lines_.words();
      if (words.size() != (field_ == "pattern" ? 2 : 3))
        lines_.fail(fmt::format("expected row, column{}, found '{}'", field_ == "pattern" ? "" : " and bytes", lines_.line()));
      const Count row = lines_.whole(words[0], "the row", 1, counts_.rows) - 1;
      const Count column = lines_.whole(words[1], "the column", 1, counts_.columns) - 1;
      if (symmetric_ && column > row) lines_.fail("a symmetric matrix lists what is on and below the diagonal");
      if (!seen.emplace(row, column).second) lines_.fail(fmt::format("row {}, column {} is there twice", row + 1, column + 1));
      add(row, column, field_ == "pattern" ? block_bytes_ : value(words[2]));
    }
  }

  void read_array() {
    for (Count column = 0; column < counts_.columns; ++column)
      for (Count row = symmetric_ ? column : 0; row < counts_.rows; ++row) {
        if (!lines_.next('%')) lines_.fail("expected more numbers, found the end");
        const auto words = lines_.words();
        if (words.size() != 1) lines_.fail(fmt::format("expected one number, found '{}'", lines_.line()));
        add(row, column, value(words[0]));
      }
  }

  Lines lines_;
  const Bytes block_bytes_;
  bool coordinates_ = false, symmetric_ = false;
  std::string field_;
  CountsFile counts_;
};

}  // namespace

CountsFile parse_counts(std::string_view text, const std::string& label, Bytes block_bytes) {
  const Lines lines(text, label);
  CountsFile counts = text.substr(0, 14) == "%%MatrixMarket" ? MatrixMarket(lines, block_bytes).parse() : parse_csv(lines);
  if (counts.rows == 0) throw Error(ErrorCode::malformed, fmt::format("{} holds no numbers", label));
  return counts;
}

std::vector<Bytes> shares_of(const CountsFile& file, const std::string& label) {
  if (std::min(file.rows, file.columns) != 1)
    refuse(fmt::format("{} has {} rows of {} numbers; the shares of the ranks are one row or one column", label, file.rows,
                       file.columns));
  std::vector<Bytes> shares(index(std::max(file.rows, file.columns)), 0);
  for (const TrafficEntry& entry : file.entries) shares[index(std::max(entry.from, entry.to))] = entry.bytes;
  return shares;
}

}  // namespace quadrille::command

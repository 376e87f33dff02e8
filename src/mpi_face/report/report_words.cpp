// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/report_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace quadrille::mpi_face {
namespace {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Three significant digits, such as 1.23, 12.3, 123.
std::string digits(double value) { return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

std::string broken(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines(indent, ' ');
  std::size_t column = indent;
  bool begins = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!begins && column + 1 + columns_of(word) > width) {
      lines += '\n';
      lines.append(indent + 2, ' ');
      column = indent + 2;
    } else if (!begins) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += columns_of(word);
    begins = false;
  }
  return lines + '\n';
}

}  // namespace

std::string count_words(Count count) {
  std::string words = fmt::format("{}", count);
  for (std::size_t end = words.size(); end > 3 && words[end - 4] != '-'; end -= 3) words.insert(end - 3, 1, ',');
  return words;
}

std::string bytes_words(double bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) bytes /= 1024, ++unit;
  const bool is_whole = bytes < 1024 && bytes == static_cast<double>(static_cast<std::int64_t>(bytes));
  return fmt::format("{} {}", is_whole ? fmt::format("{:.0f}", bytes) : digits(bytes), units[unit]);
}

std::string seconds_words(double seconds) {
  constexpr std::array<std::pair<double, std::string_view>, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  for (const auto& [size, unit] : units)
    if (seconds >= size) return fmt::format("{} {}", digits(seconds / size), unit);
  return "0 s";
}

std::string share_words(double share) {
  if (share <= 0) return "0 %";
  if (share < 0.0005) return "<0.1 %";
  return share < 0.0995 ? fmt::format("{:.1f} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string ranks_words(const std::vector<Rank>& ranks, std::size_t most) {
  std::vector<std::string> parts;
  std::size_t told = 0;
  while (told < ranks.size() && parts.size() < most) {
    std::size_t end = told + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - told < 3) end = told + 1;
    parts.push_back(end - told == 1 ? fmt::format("{}", ranks[told]) : fmt::format("{}..{}", ranks[told], ranks[end - 1]));
    told = end;
  }
  if (told < ranks.size()) parts.push_back(fmt::format("{} more", ranks.size() - told));
  std::string words;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    words += i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    words += parts[i];
  }
  return words;
}

std::string WordTable::text(std::size_t note_indent, std::size_t width) const {
  std::vector<std::size_t> widths(is_left_.size());
  for (const Line& line : lines_)
    for (std::size_t c = 0; c < line.cells.size(); ++c) widths[c] = std::max(widths[c], columns_of(line.cells[c]));
  std::string all;
  for (const Line& line : lines_) {
    if (line.cells.empty()) {
      all += broken(line.note, note_indent, width);
      continue;
    }
    std::string words;
    for (std::size_t c = 0; c < line.cells.size(); ++c) {
      const std::string space(widths[c] - columns_of(line.cells[c]), ' ');
      if (c > 0) words += "  ";
      words += is_left_[c] ? line.cells[c] + space : space + line.cells[c];
    }
    words.erase(words.find_last_not_of(' ') + 1);
    all += words + '\n';
  }
  return all;
}

}  // namespace quadrille::mpi_face

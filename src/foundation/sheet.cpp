// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace quadrille {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string within = "\"";
  for (const char letter : text) {
    if (letter == '"') within += letter;
    within += letter;
  }
  within += '"';
  return within;
}

std::string line_of(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(quoted(cell_text(cell)));
  return fmt::format("{}\r\n", fmt::join(texts, ","));
}

}  // namespace

std::optional<double> cell_number(const Cell& cell) {
  if (const Count* count = std::get_if<Count>(&cell)) return static_cast<double>(*count);
  if (const double* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

std::string cell_text(const Cell& cell) {
  if (const Count* count = std::get_if<Count>(&cell)) return fmt::format("{}", *count);
  if (const double* number = std::get_if<double>(&cell))
    return *number == std::trunc(*number) && std::abs(*number) < 1e15 ? fmt::format("{:.0f}", *number)
                                                                      : fmt::format("{:.6g}", *number);
  const std::string* words = std::get_if<std::string>(&cell);
  return words ? *words : std::string();
}

std::string csv_of(const Sheet& sheet) {
  std::string lines = line_of({sheet.columns.begin(), sheet.columns.end()});
  for (const auto& row : sheet.rows) lines += line_of(row);
  return lines;
}

}  // namespace quadrille

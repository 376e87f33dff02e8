// SPDX-License-Identifier: BSD-3-Clause
// Writes sheets as CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "papers/exhibit.hpp"

namespace quadrille::papers {
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

struct InWords {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(Count number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const {
    return number == std::trunc(number) && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number) : fmt::format("{:.6g}", number);
  }
  std::string operator()(const std::string& text) const { return text; }
};

template <class Cells, class Text>
std::string line_of(const Cells& cells, Text text) {
  std::vector<std::string> texts;
  for (const auto& cell : cells) texts.push_back(quoted(text(cell)));
  return fmt::format("{}\r\n", fmt::join(texts, ","));
}

}  // namespace

std::string text_of(const Cell& cell) { return std::visit(InWords{}, cell); }

std::string csv_of(const Sheet& sheet) {
  std::string lines = line_of(sheet.columns, [](const std::string& text) { return text; });
  for (const auto& row : sheet.rows) lines += line_of(row, text_of);
  return lines;
}

std::string csv_name(std::string_view id, const Reproduction& reproduction, std::size_t sheet) {
  if (reproduction.sheets.size() == 1) return fmt::format("{}.csv", id);
  return fmt::format("{}-{}.csv", id, reproduction.sheets[sheet].name);
}

}  // namespace quadrille::papers

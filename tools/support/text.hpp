// SPDX-License-Identifier: BSD-3-Clause
// Formats numbers, tables and bar charts for people; and JSON as the command prints it.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/text/wording.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/types.hpp"

// A value that may be missing is null in JSON.
template <class Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  static void to_json(ordered_json& json, const std::optional<Value>& value) {
    json = nullptr;
    if (value) json = *value;
  }
};

namespace quadrille::command {

std::string seconds_text(double seconds);                      // the time with three digits: "12.3 µs"
std::string seconds_text(double seconds, double clock_bound);  // adds the clock's error if it matters: "12.3 µs ± 12 %"

std::size_t width_of(std::string_view text);  // how many columns a UTF-8 text takes
std::size_t terminal_width();                 // COLUMNS, else the width of the terminal on stdout, else 100

// Breaks `text` at spaces into lines of at most `width` columns. The first line is assumed to begin at column `begin` and is not
// padded; the others are indented to column `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t begin = 0);

// Returns the text as a paragraph of the terminal's width, whose further lines are indented.
std::string paragraph(std::string_view text, std::size_t indent = 2);

std::string listed(std::vector<std::string> words);  // "a, b and c"; empty for none

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
  bool same_unit = false;  // same unit as the column before, with which it is compared
};

// Returns the columns of "algorithm|>ranks|>time": headings, of which those behind '>' are aligned right.
std::vector<Column> headings(std::string_view text);

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
  explicit Table(std::string_view text) : columns_(headings(text)) {}
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

// Returns a result of the subcommand as the text that --json prints. Each result is an object that begins with its format and its
// version: {"format": "quadrille-price/1", ..}. Several results are an array of such objects.
std::string document_text(std::string_view subcommand, const Json& results);

// Returns the array of the results of `each` for all things.
template <class Things, class Each>
Json array_of(const Things& things, Each&& each) {
  Json array = Json::array();
  for (const auto& thing : things) array.push_back(each(thing));
  return array;
}

// Returns the element of an array that has only one, otherwise the array. Many subcommands print one result or several in this
// way.
inline Json one_or_all(const Json& array) { return array.size() == 1 ? array[0] : array; }

// Members of a struct under their own names: MEMBERS_OF(fit, ranks, nodes) is {"ranks": .., "nodes": ..}.
#define QUADRILLE_MEMBER(member) json_object[#member] = json_source.member;
#define MEMBERS_OF(source, ...)                                              \
  [](const auto& json_source) {                                              \
    ::quadrille::command::Json json_object;                                  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(QUADRILLE_MEMBER, __VA_ARGS__)) \
    return json_object;                                                      \
  }(source)

// Returns a copy of `object` with the keys of `more` behind its own.
inline Json joined(Json object, const Json& more) {
  object.update(more);
  return object;
}

Json to_json(const ParameterValue& value);
Json to_json(const Parameters& parameters);

}  // namespace quadrille::command

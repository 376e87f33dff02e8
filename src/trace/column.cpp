// SPDX-License-Identifier: BSD-3-Clause
#include "trace/column.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::string_view a_column = R"(an array of numbers, {"runs": ...} or {"deltas": ...})";

std::string list_text(const Column& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

std::optional<std::int64_t> difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// Returns first, step and count of each arithmetic run, or nothing if a step has more than 64 bits.
std::optional<Column> runs_of(const Column& values) {
  Column runs;
  for (std::size_t first = 0, last = 0; first < values.size(); first = last) {
    last = first + 1;
    std::int64_t step = 0;
    for (; last < values.size(); ++last) {
      const auto next = difference(values[last], values[last - 1]);
      if (!next) return std::nullopt;
      if (last == first + 1) step = *next;
      if (*next != step) break;
    }
    runs.insert(runs.end(), {values[first], step, static_cast<std::int64_t>(last - first)});
  }
  return runs;
}

std::optional<Column> deltas_of(const Column& values) {
  Column deltas;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto delta = difference(values[i], i == 0 ? 0 : values[i - 1]);
    if (!delta) return std::nullopt;
    deltas.push_back(*delta);
  }
  return deltas;
}

std::int64_t number(const JsonValue& value) { return value.integer("a number"); }

void append(Column& values, std::int64_t value, const JsonValue& place) {
  if (size(values) == most_rows) place.refuse(fmt::format("expected at most {} values", most_rows));
  values.push_back(value);
}

void read_runs(const JsonValue& runs, Column& values) {
  if (runs.size() % 3 != 0) runs.refuse("expected first, step and count of each run");
  for (std::size_t i = 0; i < runs.size(); i += 3) {
    const std::int64_t first = number(runs.entry(i)), step = number(runs.entry(i + 1));
    const std::int64_t count = runs.entry(i + 2).integer("a number of values", 1, most_rows);
    const auto way = checked_product(step, count - 1);
    if (!way || !checked_sum(first, *way)) runs.refuse("expected values of 64 bits");
    for (std::int64_t k = 0; k < count; ++k) append(values, first + k * step, runs);
  }
}

void read_deltas(const JsonValue& deltas, Column& values) {
  std::int64_t value = 0;
  deltas.for_each([&](const JsonValue& delta) {
    const auto sum = checked_sum(value, number(delta));
    if (!sum) delta.refuse("expected values of 64 bits");
    append(values, value = *sum, deltas);
  });
}

}  // namespace

std::string column_text(const Column& values) {
  std::string shortest = list_text(values);
  const auto propose = [&](std::string_view name, const std::optional<Column>& numbers) {
    if (!numbers) return;
    std::string text = fmt::format("{{\"{}\": {}}}", name, list_text(*numbers));
    if (text.size() < shortest.size()) shortest = std::move(text);
  };
  propose("runs", runs_of(values));
  propose("deltas", deltas_of(values));
  return shortest;
}

Column read_column(const JsonValue& column) {
  Column values;
  if (column.is_array()) {
    column.for_each([&](const JsonValue& value) { append(values, number(value), column); });
    return values;
  }
  if (!column.value().is_object()) column.expected(a_column);
  if (const auto runs = column.find("runs"))
    read_runs(*runs, values);
  else if (const auto deltas = column.find("deltas"))
    read_deltas(*deltas, values);
  else
    column.expected(a_column);
  return values;
}

Column read_column(const JsonValue& column, std::size_t rows) {
  Column values = read_column(column);
  if (values.size() != rows) column.refuse(fmt::format("expected {} values, one for each row, found {}", rows, values.size()));
  return values;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "trace/trace_format.hpp"

#include <fmt/ranges.h>

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

// Expands a column, and stops as soon as it has more than `most` values.
class ColumnReader {
 public:
  ColumnReader(const JsonValue& column, std::int64_t most) : column_(column), most_(most) {}

  Column read() && {
    if (column_.is_array()) {
      column_.for_each([&](const JsonValue& value) { append(number(value)); });
      return std::move(values_);
    }
    if (!column_.value().is_object()) column_.expected(a_column);
    if (const auto runs = column_.find("runs"))
      read_runs(*runs);
    else if (const auto deltas = column_.find("deltas"))
      read_deltas(*deltas);
    else
      column_.expected(a_column);
    return std::move(values_);
  }

 private:
  void append(std::int64_t value) {
    if (size(values_) == most_) column_.refuse(fmt::format("expected {} values at most", most_));
    values_.push_back(value);
  }

  void read_runs(const JsonValue& runs) {
    if (runs.size() % 3 != 0) runs.refuse("expected first, step and count of each run");
    for (std::size_t i = 0; i < runs.size(); i += 3) {
      const std::int64_t first = number(runs.entry(i)), step = number(runs.entry(i + 1));
      const std::int64_t count = runs.entry(i + 2).integer("a number of values", 1, most_rows);
      const auto way = checked_product(step, count - 1);
      if (!way || !checked_sum(first, *way)) runs.refuse("expected values of 64 bits");
      for (std::int64_t k = 0; k < count; ++k) append(first + k * step);
    }
  }

  void read_deltas(const JsonValue& deltas) {
    std::int64_t value = 0;
    deltas.for_each([&](const JsonValue& delta) {
      const auto sum = checked_sum(value, number(delta));
      if (!sum) delta.refuse("expected values of 64 bits");
      append(value = *sum);
    });
  }

  const JsonValue& column_;
  const std::int64_t most_;
  Column values_;
};

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

Column read_column(const JsonValue& column) { return ColumnReader(column, most_rows).read(); }

Column read_column(const JsonValue& column, std::size_t rows) {
  Column values = ColumnReader(column, static_cast<std::int64_t>(rows)).read();
  if (values.size() != rows) column.refuse(fmt::format("expected {} values, one for each row, found {}", rows, values.size()));
  return values;
}

}  // namespace quadrille

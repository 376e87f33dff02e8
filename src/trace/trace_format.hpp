// SPDX-License-Identifier: BSD-3-Clause
// What the writer and the reader of traces share: names, limits, and the columns of tables.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"
#include "schedule/forms/json.hpp"

namespace quadrille {

inline constexpr std::string_view trace_format = "quadrille-trace/1";

// The columns of the levels of regions, from the innermost level to the outermost.
struct LevelNames {
  std::string_view count, stride;
};
inline constexpr std::array<LevelNames, 3> level_names{
    {{"inner_count", "inner_stride"}, {"middle_count", "middle_stride"}, {"outer_count", "outer_stride"}}};

// The most rows of a table that is written or read, and the most runs of a region. Without this limit a few words of text could
// ask for any number of rows.
inline constexpr std::int64_t most_rows = std::int64_t{1} << 24;

inline Count run_count(const Region& region) {
  Count runs = 1;
  for (const Level& level : region.levels) runs = times_at_most(runs, level.count, std::numeric_limits<Count>::max());
  return runs;
}

// The column `operation` of local operations: 0: copy, 1: reduce source-first, 2: reduce target-first.
inline std::int64_t number_of_operation(const Local& local) {
  if (local.kind == LocalKind::copy) return 0;
  return local.order == OperandOrder::source_first ? 1 : 2;
}

// Columns of the tables of a trace: whole numbers, written in the shortest of three forms (docs/trace-format.md, "Columns").
using Column = std::vector<std::int64_t>;

std::string column_text(const Column& values);

// Throws Error{malformed} if it is no column, or has more than `most_rows` values.
Column read_column(const JsonValue& column);

// The same for a column that must have `rows` values.
Column read_column(const JsonValue& column, std::size_t rows);

}  // namespace quadrille

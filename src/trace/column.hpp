// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of a trace: whole numbers, written in the shortest of three forms (docs/trace-format.md, "Columns").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/forms/json_value.hpp"
#include "trace/trace_format.hpp"

namespace quadrille {

using Column = std::vector<std::int64_t>;

std::string column_text(const Column& values);

// Throws Error{malformed} if it is no column, or has more than `most_rows` values.
Column read_column(const JsonValue& column);

// The same for a column that must have `rows` values.
Column read_column(const JsonValue& column, std::size_t rows);

}  // namespace quadrille

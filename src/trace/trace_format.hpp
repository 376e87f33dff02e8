// SPDX-License-Identifier: BSD-3-Clause
// What the writer and the reader of traces share.
#pragma once

#include <array>
#include <string_view>

#include "quadrille/schedule.hpp"

namespace quadrille {

inline constexpr std::string_view trace_format = "quadrille-trace/1";

// The columns of the levels of regions, from the innermost level to the outermost.
struct LevelNames {
  std::string_view count, stride;
};
inline constexpr std::array<LevelNames, 3> level_names{
    {{"inner_count", "inner_stride"}, {"middle_count", "middle_stride"}, {"outer_count", "outer_stride"}}};

// The column `operation` of local operations: 0: copy, 1: reduce source-first, 2: reduce target-first.
inline std::int64_t number_of_operation(const Local& local) {
  if (local.kind == LocalKind::copy) return 0;
  return local.order == OperandOrder::source_first ? 1 : 2;
}

}  // namespace quadrille

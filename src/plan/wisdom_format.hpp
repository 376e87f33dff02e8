// SPDX-License-Identifier: BSD-3-Clause
// What the writer and the reader of wisdom's text have in common. A line begins each record, and indented lines are what belongs to
// it. Words are separated by single spaces, values have keys, and keys come in one order. docs/wisdom.md shows it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "plan/wisdom_checks.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille::wisdom_format {

inline constexpr std::string_view title = "quadrille-wisdom 2";      // 2: the version of this format
inline constexpr std::string_view old_title = "quadrille-wisdom 1";  // one race of a situation, without the time of its day

inline std::string_view name(Combining combining) {
  static constexpr ByEnum<Combining, std::string_view, 3> names{{"any_order", "rank_order", "fixed_tree"}};
  return names[combining];
}

inline std::string table_text() { return fmt::format("{:016x}", table_fingerprint()); }

}  // namespace quadrille::wisdom_format

// SPDX-License-Identifier: BSD-3-Clause
// Names that the writer and the reader of the wisdom format share. A record begins with one line; indented lines below it belong to
// it. Single spaces separate words. Values have keys, in a fixed order. docs/wisdom.md shows an example.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "quadrille/indexed.hpp"
#include "quadrille/wisdom.hpp"
#include "tune/wisdom/wisdom_checks.hpp"

namespace quadrille::wisdom_format {

inline constexpr std::string_view title = "quadrille-wisdom 3";  // 3 is the version of the format

inline std::string_view name(Combining combining) {
  static constexpr ByEnum<Combining, std::string_view, 3> names{{"any_order", "rank_order", "fixed_tree"}};
  return names[combining];
}

inline std::string table_text() { return fmt::format("{:016x}", table_fingerprint()); }

}  // namespace quadrille::wisdom_format

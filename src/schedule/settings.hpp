// SPDX-License-Identifier: BSD-3-Clause
// The parts of a specification, such as "hierarchical:between=(chain:segments=4),lanes=2". A value in parentheses may contain
// commas and further parentheses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

struct ParameterSetting {
  std::string_view text;                  // "between=(chain:segments=4)"
  std::string_view name;                  // "between"
  std::optional<std::string_view> value;  // "chain:segments=4"; nothing if there is no equals sign
};

struct SpecificationParts {
  std::string_view id;
  std::vector<ParameterSetting> settings;
};

// The result refers to `specification`. Throws Error{misuse} if parentheses do not match.
SpecificationParts parts_of_specification(std::string_view specification);

// Returns the parts between separators that are not in parentheses. Throws Error{misuse} if parentheses do not match.
std::vector<std::string_view> split_outside_parentheses(std::string_view text, char separator);

// Returns the value as it stands in a specification: in parentheses if it contains a comma.
std::string value_in_specification(std::string value);

}  // namespace quadrille

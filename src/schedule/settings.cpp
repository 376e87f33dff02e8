// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/settings.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Are the first and the last character parentheses that enclose the whole value?
bool is_enclosed(std::string_view value) {
  if (!value.starts_with('(')) return false;
  int depth = 0;
  for (std::size_t at = 0; at < value.size(); ++at) {
    depth += value[at] == '(' ? 1 : value[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1 == value.size();
  }
  return false;
}

}  // namespace

std::vector<std::string_view> split_outside_parentheses(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t at = 0; at < text.size() && depth >= 0; ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (text[at] != separator || depth != 0) continue;
    parts.push_back(text.substr(first, at - first));
    first = at + 1;
  }
  if (depth != 0) throw Error(ErrorCode::misuse, fmt::format("the parentheses in '{}' do not match", text));
  parts.push_back(text.substr(first));
  return parts;
}

SpecificationParts parts_of_specification(std::string_view specification) {
  const std::size_t colon = specification.find(':');
  SpecificationParts parts{specification.substr(0, colon), {}};
  if (colon == specification.npos) return parts;
  for (const std::string_view text : split_outside_parentheses(specification.substr(colon + 1), ',')) {
    const std::size_t equals = text.find('=');
    ParameterSetting setting{text, text.substr(0, equals), std::nullopt};
    if (equals != text.npos) {
      std::string_view value = text.substr(equals + 1);
      if (is_enclosed(value)) value = value.substr(1, value.size() - 2);
      setting.value = value;
    }
    parts.settings.push_back(setting);
  }
  return parts;
}

std::string value_in_specification(std::string value) {
  return value.find(',') == value.npos ? value : '(' + std::move(value) + ')';
}

}  // namespace quadrille

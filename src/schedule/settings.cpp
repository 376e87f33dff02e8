// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/settings.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Returns the length of the text up to the first comma that is not in parentheses.
std::size_t length_of_setting(std::string_view text, std::string_view specification) {
  int depth = 0;
  std::size_t at = 0;
  for (; at < text.size() && (depth > 0 || text[at] != ','); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth < 0) break;
  }
  if (depth != 0) throw Error(ErrorCode::misuse, fmt::format("the parentheses in '{}' do not match", specification));
  return at;
}

// Do the first and the last character enclose the whole value?
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

SpecificationParts parts_of_specification(std::string_view specification) {
  SpecificationParts parts{specification.substr(0, specification.find(':')), {}};
  std::string_view rest = specification.substr(parts.id.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the colon or a comma
    const std::string_view text = rest.substr(0, length_of_setting(rest, specification));
    rest.remove_prefix(text.size());
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

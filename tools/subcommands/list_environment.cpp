// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/list_environment.hpp"

#include <fmt/format.h>

#include "foundation/environment.hpp"
#include "support/text.hpp"

namespace quadrille::command {

std::string environment_text() {
  constexpr std::size_t indent = 4;
  std::string text;
  for (const EnvironmentVariable& variable : all_environment_variables()) {
    text +=
        fmt::format("{}: {}\n", variable.name, wrapped(values_text(variable), terminal_width(), indent, variable.name.size() + 2));
    text += std::string(indent, ' ') +
            wrapped(fmt::format("{} (read by: {})", variable.about, variable.reader), terminal_width(), indent, indent) + '\n';
  }
  return text;
}

std::string environment_markdown() {
  std::string text = "| variable | values | what it does | read by |\n| --- | --- | --- | --- |\n";
  for (const EnvironmentVariable& variable : all_environment_variables())
    text += fmt::format("| `{}` | {} | {} | {} |\n", variable.name, values_text(variable), variable.about, variable.reader);
  return text;
}

Json environment_json() {
  Json array = Json::array();
  for (const EnvironmentVariable& variable : all_environment_variables())
    array.push_back(
        {{"name", variable.name}, {"values", values_text(variable)}, {"about", variable.about}, {"read_by", variable.reader}});
  return array;
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
#include "options/parser.hpp"

#include <CLI/CLI.hpp>

namespace quadrille::command {

CLI::App* add_subcommand(CLI::App& command, const std::string& name, const std::string& description) {
  return command.add_subcommand(name, description);
}

void add_option(CLI::App& parser, const std::string& names, std::string& value, const std::string& help,
                const std::string& value_name) {
  parser.add_option(names, value, help)->type_name(value_name);
}

void add_option(CLI::App& parser, const std::string& names, std::optional<std::string>& value, const std::string& help,
                const std::string& value_name) {
  parser.add_option(names, value, help)->type_name(value_name);
}

void add_option(CLI::App& parser, const std::string& names, std::vector<std::string>& values, const std::string& help,
                const std::string& value_name) {
  CLI::Option* option = parser.add_option(names, values, help)->type_name(value_name);
  if (option->nonpositional()) option->allow_extra_args(false);
}

void add_flag(CLI::App& parser, const std::string& names, bool& value, const std::string& help) {
  parser.add_flag(names, value, help);
}

void begin_group(CLI::App& parser, const char* heading) { parser.option_defaults()->group(heading); }

void set_footer(CLI::App& parser, const std::string& footer) { parser.footer(footer); }

void read_options(const std::string& text, const std::function<void(CLI::App&)>& declare) {
  CLI::App parser;
  declare(parser);
  parser.parse(text);
}

}  // namespace quadrille::command

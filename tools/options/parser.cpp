// SPDX-License-Identifier: BSD-3-Clause
#include "options/parser.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>

namespace quadrille::command {

CLI::App* add_subcommand(CLI::App& command, std::string_view name, std::string_view description) {
  return command.add_subcommand(std::string(name), std::string(description));
}

void add_option(CLI::App& parser, std::string_view names, std::string& value, std::string_view help, std::string_view value_name) {
  parser.add_option(std::string(names), value, std::string(help))->type_name(std::string(value_name));
}

void add_option(CLI::App& parser, std::string_view names, std::optional<std::string>& value, std::string_view help,
                std::string_view value_name) {
  parser.add_option(std::string(names), value, std::string(help))->type_name(std::string(value_name));
}

void add_option(CLI::App& parser, std::string_view names, std::vector<std::string>& values, std::string_view help,
                std::string_view value_name) {
  CLI::Option* option = parser.add_option(std::string(names), values, std::string(help))->type_name(std::string(value_name));
  if (option->nonpositional()) option->allow_extra_args(false);
}

void add_flag(CLI::App& parser, std::string_view names, bool& value, std::string_view help) {
  parser.add_flag(std::string(names), value, std::string(help));
}

void begin_group(CLI::App& parser, const char* heading) { parser.option_defaults()->group(heading); }

void set_footer(CLI::App& parser, std::string_view footer) { parser.footer(std::string(footer)); }

void read_options(const std::string& text, const std::function<void(CLI::App&)>& declare) {
  CLI::App parser;
  declare(parser);
  parser.parse(text);
}

void take_program(const CLI::App& subcommand, const ProgramWords& program, std::vector<std::string>& words) {
  std::size_t first = 1;
  while (first < words.size() && words[first].starts_with('-')) {
    std::string& word = words[first++];
    if (word == "--") break;
    if (const auto standard = program.standard_values.find(word); standard != program.standard_values.end()) {
      word += '=' + standard->second;
    } else if (const CLI::Option* option = subcommand.get_option_no_throw(word); option && option->get_items_expected_max() > 0) {
      ++first;
    }
  }
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size()));
  program.destination->assign(std::make_move_iterator(begin), std::make_move_iterator(words.end()));
  words.erase(begin, words.end());
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
#include "options/option_table.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>

namespace quadrille::command {

OptionTable::OptionTable(CLI::App& command, std::string_view subcommand, std::string_view description)
    : parser_(command.add_subcommand(std::string(subcommand), std::string(description))) {}

void OptionTable::add(const char* heading, std::initializer_list<OptionRow> rows) {
  for (const OptionRow& row : rows) {
    const OptionType& type = row.type;
    std::string help = row.help;
    constexpr std::string_view mark = "{default}";
    if (const std::size_t place = help.find(mark); place != help.npos) help.replace(place, mark.size(), type.standard_);
    const auto option = [&](auto& target) { return parser_->add_option(std::string(row.names), target, help); };
    CLI::Option* const added = type.flag_        ? parser_->add_flag(std::string(row.names), *type.flag_, help)
                               : type.text_      ? option(*type.text_)
                               : type.given_     ? option(*type.given_)
                               : type.list_      ? option(*type.list_)
                               : type.read_list_ ? option(*type.read_list_)
                                                 : option(*type.read_text_);
    added->group(heading);
    if (!type.flag_) added->type_name(std::string(row.value_name));
    if ((type.list_ || type.read_list_) && added->nonpositional()) added->allow_extra_args(false);
    if (type.read_) readings_.push_back(type.read_);
  }
}

void OptionTable::add_json(bool& json, std::string_view help) { add(group::output, {{"--json", "", json, std::string(help)}}); }

void OptionTable::add_output(std::optional<std::string>& file) {
  add(group::output, {{"-o,--output", "FILE", file, "write to this file instead of stdout; - is stdout"}});
}

void OptionTable::set_footer(std::string_view footer) { parser_->footer(std::string(footer)); }

void OptionTable::read_values() const {
  for (const auto& read : readings_) read();
}

void read_options(const std::string& text, const std::function<void(OptionTable&)>& declare) {
  CLI::App parser;
  OptionTable table(parser);
  declare(table);
  parser.parse(text);
  table.read_values();
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

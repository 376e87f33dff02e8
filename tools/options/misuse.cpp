// SPDX-License-Identifier: BSD-3-Clause
#include "options/misuse.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/help_text.hpp"

namespace quadrille::command {
namespace {

// All words after this one are arguments, even those that begin with a dash.
constexpr std::string_view end_of_options = "--";

// The old and the new names of options.
const std::map<std::string, std::string> renamed_options{{"--rounds", "--repetitions"}};

}  // namespace

void refuse_empty_values(const CLI::App& command, const std::vector<std::string>& words) {
  const CLI::App* parser = &command;
  for (const std::string& word : words) {
    if (word == end_of_options) return;
    if (parser == &command)
      for (const CLI::App* subcommand : command.get_subcommands({}))
        if (subcommand->get_name() == word) parser = subcommand;
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    const std::string name = word.substr(0, word.size() - 1);
    if (const CLI::Option* option = parser->get_option_no_throw(name))
      refuse(fmt::format("{} {} value", name, option->get_items_expected_max() == 0 ? "takes no" : "needs a"));
  }
}

void refuse_leftover(const CLI::App& parser, const std::vector<std::string>& leftovers) {
  const bool marked = !leftovers.empty() && leftovers[0] == end_of_options;  // CLI11 leaves it there
  if (leftovers.size() == (marked ? 1 : 0)) return;
  const std::string& leftover = leftovers[marked ? 1 : 0];
  const std::string help = fmt::format("see '{} --help'", command_path(parser));
  if (marked || leftover.size() < 2 || leftover[0] != '-') refuse(fmt::format("'{}' is one argument too many; {}", leftover, help));
  std::vector<std::string> known;
  for (const CLI::Option* option : parser.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string name = leftover.substr(0, leftover.find('='));
  if (const auto renamed = renamed_options.find(name); renamed != renamed_options.end())
    if (parser.get_option_no_throw(renamed->second))
      refuse(fmt::format("the option '{}' is called '{}' now", name, renamed->second));
  refuse(fmt::format("there is no option '{}'; {}", name, guess_or(name, known, help)));
}

void refuse_mismatch(const std::string& complaint) {
  const std::string option = complaint.substr(0, complaint.find_first_of(": "));
  if (complaint.ends_with("missing")) refuse(fmt::format("{} needs a value", option));
  if (complaint.ends_with("override")) refuse(fmt::format("--{} takes no value", option));
  refuse(fmt::format("{} is given more than once", option));
}

}  // namespace quadrille::command

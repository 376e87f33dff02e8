// SPDX-License-Identifier: BSD-3-Clause
#include "options/help_text.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t column = 26;  // column at which explanations begin
constexpr std::size_t narrow = 60;  // in terminals of up to so many columns, explanations stand below their option
constexpr std::size_t below = 6;    // indentation of explanations that stand below
constexpr std::size_t hanging = 4;  // indentation of an item's further lines

// Returns one entry of a list: "  -o, --output FILE       write to this file". The explanation stands below if the term is long.
std::string item(const std::string& term, const std::string& explanation) {
  std::string text = "  " + term;
  if (explanation.empty()) return text + '\n';
  if (terminal_width() < narrow)
    return text + '\n' + std::string(below, ' ') + wrapped(explanation, terminal_width(), below, below) + '\n';
  text += width_of(text) + 2 > column ? '\n' + std::string(column, ' ') : std::string(column - width_of(text), ' ');
  return text + wrapped(explanation, terminal_width(), column, column) + '\n';
}

std::string term_of(const CLI::Option& option) {
  std::string term;
  for (const std::string& name : option.get_snames()) term += (term.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) term += (term.empty() ? "--" : ", --") + name;
  return option.get_items_expected_max() > 0 ? term + ' ' + option.get_type_name() : term;
}

std::string usage_of(const CLI::App& parser) { return wrapped("Usage: " + usage_text(parser), terminal_width(), hanging) + '\n'; }

std::string groups_text(const CLI::App& parser) {
  std::string text;
  for (const OptionGroup& group : groups_of(parser)) {
    text += fmt::format("\n{}:\n", group.heading);
    for (const CLI::Option* option : group.options) text += item(term_of(*option), option->get_description());
  }
  return text;
}

std::string footer_text(const CLI::App& parser) {
  const Footer footer = footer_of(parser);
  std::string text;
  for (const std::string_view line : footer.prose)
    text += wrapped(line, terminal_width(), line.starts_with(' ') ? hanging : 0) + '\n';
  for (const std::string_view line : footer.examples) text += std::string(line) + '\n';
  return text.empty() ? "" : '\n' + text;
}

// All words after this one are arguments, even those that begin with a dash.
constexpr std::string_view end_of_options = "--";

// The old and the new names of options.
const std::map<std::string, std::string> renamed_options{{"--rounds", "--repetitions"}};

}  // namespace

std::string command_path(const CLI::App& parser) {
  return parser.get_parent() ? parser.get_parent()->get_name() + ' ' + parser.get_name() : parser.get_name();
}

std::string placeholder_of(const CLI::Option& option) {
  const bool several = option.get_items_expected_max() > 1 && !option.get_type_name().ends_with("...");
  return option.get_type_name() + (several ? "..." : "");
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& parser) {
  return parser.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string usage_text(const CLI::App& parser) {
  if (const Footer footer = footer_of(parser); !footer.usage.empty()) return footer.usage;
  std::string usage = command_path(parser) + " [OPTIONS]";
  for (const CLI::Option* option : positionals_of(parser)) usage += fmt::format(" [{}]", placeholder_of(*option));
  return parser.get_subcommands({}).empty() ? usage : usage + " SUBCOMMAND";
}

std::vector<OptionGroup> groups_of(const CLI::App& parser) {
  std::vector<std::string> headings = parser.get_groups();
  std::stable_partition(headings.begin(), headings.end(), [](const std::string& heading) { return heading != group::others; });
  std::vector<OptionGroup> groups;
  for (const std::string& heading : headings) {
    OptionGroup group{heading, {}};
    for (const CLI::Option* option : parser.get_options())
      if (option->nonpositional() && option->get_group() == heading) group.options.push_back(option);
    if (!group.options.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

Footer footer_of(const CLI::App& parser) {
  const std::string text = parser.get_footer();
  Footer footer;
  if (text.empty()) return footer;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("Usage: "))
      footer.usage = line.substr(std::string_view("Usage: ").size());
    else if (!footer.examples.empty() || line.starts_with("Example"))
      footer.examples.emplace_back(line);
    else
      footer.prose.emplace_back(line);
  }
  return footer;
}

std::string help_text(const CLI::App& parser) {
  std::string text = paragraph(parser.get_description(), 0) + usage_of(parser);
  std::string arguments, subcommands;
  for (const CLI::Option* option : positionals_of(parser)) arguments += item(placeholder_of(*option), option->get_description());
  for (const CLI::App* subcommand : parser.get_subcommands({}))
    subcommands += item(subcommand->get_name(), subcommand->get_description());
  if (!arguments.empty()) text += "\nArguments:\n" + arguments;
  if (!subcommands.empty()) text += "\nSubcommands:\n" + subcommands;
  return text + groups_text(parser) + footer_text(parser);
}

void refuse_wrong_values(const CLI::App& command, const std::vector<std::string>& words) {
  const CLI::App* parser = &command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == end_of_options) return;
    if (parser == &command)
      for (const CLI::App* subcommand : command.get_subcommands({}))
        if (subcommand->get_name() == word) parser = subcommand;
    if (!word.starts_with('-')) continue;
    const bool ends_in_equals = word.starts_with("--") && word.find('=') == word.size() - 1;
    const std::string name = ends_in_equals ? word.substr(0, word.size() - 1) : word;
    const CLI::Option* option = parser->get_option_no_throw(name);
    if (!option) continue;
    const bool takes_value = option->get_items_expected_max() > 0;
    if (ends_in_equals) refuse(fmt::format("{} {} value", name, takes_value ? "needs a" : "takes no"));
    if (!takes_value || ++i == words.size()) continue;
    const std::string& value = words[i];
    const bool is_long = value.size() > 2 && value.starts_with("--");
    if (is_long || (value.starts_with('-') && parser->get_option_no_throw(value)))
      refuse(fmt::format("{} needs a value, and '{}' is an option", name, value) +
             (name.starts_with("--") ? fmt::format("; if it is the value, write {}={}", name, value) : ""));
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

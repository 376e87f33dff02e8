// SPDX-License-Identifier: BSD-3-Clause
#include "help_text.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "arguments.hpp"
#include "common_options.hpp"
#include "text.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t column = 26;  // at which explanations begin
constexpr std::size_t hanging = 4;  // indentation of an item's further lines

// "  -o, --output FILE       write to this file", or the explanation below where the term is long.
std::string item(const std::string& term, const std::string& explanation) {
  std::string text = "  " + term;
  if (explanation.empty()) return text + '\n';
  text += width_of(text) + 2 > column ? '\n' + std::string(column, ' ') : std::string(column - width_of(text), ' ');
  return text + wrapped(explanation, terminal_width(), column, column) + '\n';
}

std::string term_of(const CLI::Option& option) {
  std::string term;
  for (const std::string& name : option.get_snames()) term += (term.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) term += (term.empty() ? "--" : ", --") + name;
  return option.get_items_expected_max() > 0 ? term + ' ' + option.get_type_name() : term;
}

// Of an argument without a name: what stands for it, with dots where there may be several.
std::string placeholder_of(const CLI::Option& option) {
  const bool several = option.get_items_expected_max() > 1 && !option.get_type_name().ends_with("...");
  return option.get_type_name() + (several ? "..." : "");
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& parser) {
  return parser.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string usage_of(const CLI::App& parser) {
  std::string usage = fmt::format("Usage: {} [OPTIONS]", full_name(parser));
  for (const CLI::Option* option : positionals_of(parser)) usage += fmt::format(" [{}]", placeholder_of(*option));
  if (!parser.get_subcommands({}).empty()) usage += " SUBCOMMAND";
  return wrapped(usage, terminal_width(), hanging) + '\n';
}

std::string groups_of(const CLI::App& parser) {
  std::vector<std::string> groups = parser.get_groups();
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& heading) { return heading != group::others; });
  std::string text;
  for (const std::string& heading : groups) {
    std::string items;
    for (const CLI::Option* option : parser.get_options())
      if (option->nonpositional() && option->get_group() == heading) items += item(term_of(*option), option->get_description());
    if (!items.empty()) text += fmt::format("\n{}:\n{}", heading, items);
  }
  return text;
}

std::string footer_of(const CLI::App& parser) {
  const std::string footer = parser.get_footer();
  if (footer.empty()) return "";
  std::string text = "\n";
  bool examples = false;
  for (const std::string_view line : split(footer, '\n')) {
    examples = examples || line.starts_with("Example");
    text += (examples ? std::string(line) : wrapped(line, terminal_width(), line.starts_with(' ') ? hanging : 0)) + '\n';
  }
  return text;
}

}  // namespace

std::string full_name(const CLI::App& parser) {
  return parser.get_parent() ? parser.get_parent()->get_name() + ' ' + parser.get_name() : parser.get_name();
}

std::string help_text(const CLI::App& parser) {
  std::string text = wrapped(parser.get_description(), terminal_width(), 0) + '\n' + usage_of(parser);
  std::string arguments, subcommands;
  for (const CLI::Option* option : positionals_of(parser)) arguments += item(placeholder_of(*option), option->get_description());
  for (const CLI::App* subcommand : parser.get_subcommands({}))
    subcommands += item(subcommand->get_name(), subcommand->get_description());
  if (!arguments.empty()) text += "\nArguments:\n" + arguments;
  if (!subcommands.empty()) text += "\nSubcommands:\n" + subcommands;
  return text + groups_of(parser) + footer_of(parser);
}

}  // namespace quadrille::command

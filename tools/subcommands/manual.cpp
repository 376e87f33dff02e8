// SPDX-License-Identifier: BSD-3-Clause
// quadrille manual: prints the help of the command and of all its subcommands as a manual page for man(1).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <memory>

#include "options/help_text.hpp"
#include "quadrille/version.hpp"
#include "subcommands/subcommand.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

// Escapes characters that have a meaning in roff.
std::string page_text(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const bool starts_line = result.empty() || result.back() == '\n';
    if (starts_line && (character == '.' || character == '\'')) result += "\\&";
    if (character == '\\')
      result += "\\e";
    else if (character == '-')
      result += "\\-";
    else
      result += character;
  }
  return result;
}

// Returns an option as the user writes it: "-o, --output FILE".
std::string option_text(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(fmt::format("\\fB{}\\fR", page_text("-" + name)));
  for (const std::string& name : option.get_lnames()) names.push_back(fmt::format("\\fB{}\\fR", page_text("--" + name)));
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return option.get_items_expected_max() > 0 ? fmt::format("{} \\fI{}\\fR", text, page_text(option.get_type_name())) : text;
}

std::string options_text(const CLI::App& parser) {
  std::string text;
  for (const CLI::Option* option : positionals_of(parser))
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", page_text(placeholder_of(*option)), page_text(option->get_description()));
  for (const OptionGroup& group : groups_of(parser)) {
    text += fmt::format(".PP\n{}:\n", page_text(group.heading));
    for (const CLI::Option* option : group.options)
      text += fmt::format(".TP\n{}\n{}\n", option_text(*option), page_text(option->get_description()));
  }
  return text;
}

// Formats a footer: each line of prose is a paragraph that is filled; examples stay unchanged.
std::string footer_text(const CLI::App& parser) {
  const auto [usage, prose, examples] = footer_of(parser);
  std::string text;
  for (const std::string& line : prose) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) text += fmt::format("{}\n{}\n", begin > 0 ? ".IP" : ".PP", page_text(line.substr(begin)));
  }
  return examples.empty() ? text
                          : fmt::format("{}.PP\n.nf\n{}\n.fi\n", text, page_text(fmt::format("{}", fmt::join(examples, "\n"))));
}

std::string page(const CLI::App& command) {
  const std::string& name = command.get_name();
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  std::string text =
      fmt::format(".\\\" Written by '{0} manual'.\n.TH {1} 1 \"\" \"{0} {2}\" \"User Commands\"\n.SH NAME\n{0} \\- {3}\n", name,
                  title, version(), page_text(command.get_description()));
  text += fmt::format(".SH SYNOPSIS\n\\fB{0}\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH OPTIONS\n{1}.SH SUBCOMMANDS\n", name,
                      options_text(command));
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string usage = usage_text(*subcommand);
    text += fmt::format(".SS \\fB{}\\fR{}\n{}\n{}{}", command_path(*subcommand),
                        page_text(usage.substr(command_path(*subcommand).size())), page_text(subcommand->get_description()),
                        options_text(*subcommand), footer_text(*subcommand));
  }
  return text + ".SH NOTES\n" + footer_text(command);
}

}  // namespace

Subcommand add_manual(CLI::App& command) {
  auto output = std::make_shared<std::optional<std::string>>();
  OptionTable table(command, "manual", "print the manual page, which has all help texts, for man");
  table.add_output(*output);
  table.set_footer("Example:\n  quadrille manual | man -l -");
  Subcommand subcommand{std::move(table), [&command, output] {
                          Output(*output).finish(page(command));
                          return good;
                        }};
  subcommand.reads_environment = false;
  return subcommand;
}

}  // namespace quadrille::command

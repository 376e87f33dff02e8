// SPDX-License-Identifier: BSD-3-Clause
// quadrille help: prints the same text as --help, for the command or a subcommand.
#include <CLI/CLI.hpp>
#include <memory>

#include "options/arguments.hpp"
#include "options/help_text.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct HelpArguments {
  std::string subcommand;
  std::optional<std::string> output;
};

int run_help(const CLI::App& command, const HelpArguments& options) {
  Output output(options.output);
  if (options.subcommand.empty()) {
    output.finish(help_text(command));
    return good;
  }
  std::vector<std::string> known;
  for (const CLI::App* subcommand : command.get_subcommands({})) {
    known.push_back(subcommand->get_name());
    if (known.back() != options.subcommand) continue;
    output.finish(help_text(*subcommand));
    return good;
  }
  refuse_unknown("subcommand", options.subcommand, known);
}

}  // namespace

Subcommand add_help(CLI::App& command) {
  auto options = std::make_shared<HelpArguments>();
  OptionTable table(command, "help", "explain a subcommand, as its --help does");
  table.add(group::arguments,
            {{"subcommand", "SUBCOMMAND", options->subcommand, "the subcommand (default: the command as a whole)"}});
  table.add_output(options->output);
  table.set_footer("Examples:\n  quadrille help\n  quadrille help verify");
  Subcommand subcommand{std::move(table), [&command, options] { return run_help(command, *options); }};
  subcommand.reads_environment = false;
  return subcommand;
}

}  // namespace quadrille::command

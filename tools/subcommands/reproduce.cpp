// SPDX-License-Identifier: BSD-3-Clause
// quadrille reproduce: makes the tables and figures of papers again from our schedules, with a verdict on each.
#include <fmt/format.h>

#include <memory>

#include "papers/verdict_levels.hpp"
#include "subcommands/on_demand.hpp"
#include "subcommands/subcommand.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

std::string levels_text() {  // the possible verdicts and their meaning
  std::string text = "Verdicts:\n";
  for (const papers::VerdictLevel& level : papers::verdict_levels)
    text += paragraph(fmt::format("  {}: {}", level.name, level.meaning), 4);
  return text;
}

}  // namespace

Subcommand add_reproduce(CLI::App& command) {
  auto options = std::make_shared<ReproduceArguments>();
  OptionTable table(command, "reproduce", "make the papers' tables and figures again, with a verdict on each");
  table.add(group::arguments, {{"exhibit", "ID|all", options->ids, "such as bruck1997-fig4; or all"}});
  table.add(group::output, {{"--list", "", options->list, "list the exhibits"},
                            {"-o,--output", "DIR", options->folder,
                             "write numbers (CSV) and plots (SVG) to this folder; with --list, the list to this file"}});
  table.add_json(options->json, "the verdicts as one object for one exhibit, an array for several");
  table.add(group::output, {{"--markdown", "", options->markdown, "the verdicts as sections of the documentation"}});
  table.set_footer(
      "A verdict compares a paper's figures with those counted from our schedules. Exit code 1 if something differs and no "
      "reason is known.\n\n" +
      levels_text() +
      "\nExamples:\n  quadrille reproduce --list\n  quadrille reproduce bruck1997-fig5 -o figures\n"
      "  quadrille reproduce all -o figures");
  Subcommand subcommand{std::move(table), [options] { return run_reproduce(*options); }};
  subcommand.writes = [options, &parser = subcommand.options.parser()]() -> std::optional<FileFormat> {
    if (options->list) return format_of_flags(parser);
    return std::nullopt;
  };
  return subcommand;
}

}  // namespace quadrille::command

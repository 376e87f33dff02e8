// SPDX-License-Identifier: BSD-3-Clause
// The subcommands: each adds itself to the command's parser and says how it is run. One file each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "parser.hpp"

namespace quadrille::command {

// Exit codes. Whoever cannot go on throws Error, and `main` turns it into one sentence on stderr and exit 2.
inline constexpr int good = 0;
inline constexpr int with_findings = 1;
inline constexpr int misused = 2;

struct Subcommand {
  CLI::App* parser = nullptr;
  std::function<int()> run;
  // Asked when the options are known: do launched processes run it together, so that rank 0 talks for all? Without one each
  // process does the whole work, whatever a launcher has left in its environment.
  std::function<bool()> is_collective = [] { return false; };
};

Subcommand add_list(CLI::App& command);
Subcommand add_info(CLI::App& command);
Subcommand add_schedule(CLI::App& command);
Subcommand add_verify(CLI::App& command);
Subcommand add_draw(CLI::App& command);
Subcommand add_explain(CLI::App& command);
Subcommand add_price(CLI::App& command);
Subcommand add_simulate(CLI::App& command);
Subcommand add_calibrate(CLI::App& command);
Subcommand add_tune(CLI::App& command);
Subcommand add_wisdom(CLI::App& command);
Subcommand add_race(CLI::App& command);
Subcommand add_compare(CLI::App& command);
Subcommand add_plot(CLI::App& command);
Subcommand add_audit(CLI::App& command);
Subcommand add_reproduce(CLI::App& command);
Subcommand add_run(CLI::App& command, std::vector<std::string> words);  // words: what is to be run
Subcommand add_wrap(CLI::App& command, std::vector<std::string> words);
Subcommand add_preload(CLI::App& command);
Subcommand add_report(CLI::App& command);
Subcommand add_completion(CLI::App& command);
Subcommand add_manual(CLI::App& command);
Subcommand add_help(CLI::App& command);

// Of `quadrille SUBCOMMAND [OPTIONS] [--] COMMAND...`: the command, no longer counted; of anything else nothing. One option has a
// value behind it.
std::vector<std::string> split_off_command(std::string_view subcommand, std::string_view option_with_value, int& count,
                                           char** arguments);

// The same of `quadrille wrap`, whose --report alone stands for --report=summary.
std::vector<std::string> split_off_wrapped(int& count, char** arguments);

}  // namespace quadrille::command

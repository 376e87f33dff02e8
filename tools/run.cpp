// SPDX-License-Identifier: BSD-3-Clause
// quadrille run: starts ranks that share memory, without an MPI library.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "quadrille/transports.hpp"
#include "talk.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_processes = 1024;

struct Options {
  std::string ranks = "2";
  std::vector<std::string> command;
};

int run(const Options& options) {
  const Count ranks = parse_whole(options.ranks, "the number of ranks", 1);
  if (ranks > most_processes) refuse(fmt::format("{} ranks are too many processes; the limit is {}", ranks, most_processes));
  if (options.command.empty()) refuse("name a command: quadrille run -n 8 quadrille race alltoall");
  return run_ranks(ranks, options.command);
}

}  // namespace

// Splits off the program and its arguments, which follow `run` or `wrap` and its options: our parser must not read them.
std::vector<std::string> split_off_command(std::string_view subcommand, std::string_view option_with_value, int& count,
                                           char** arguments) {
  if (count < 2 || std::string_view(arguments[1]) != subcommand) return {};
  int first = 2;
  while (first < count && arguments[first][0] == '-') {
    const std::string_view word = arguments[first++];
    if (word == "--") break;
    if (word == option_with_value) ++first;
  }
  first = std::min(first, count);
  std::vector<std::string> command(arguments + first, arguments + count);
  count = first;
  return command;
}

Subcommand add_run(CLI::App& command, std::vector<std::string> words) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = add_subcommand(command, "run", "start ranks that share memory, without an MPI library");
  begin_group(*parser, group::execution);
  add_option(*parser, "-n", options->ranks, "how many ranks (default 2)", "N");
  options->command = std::move(words);
  set_footer(
      *parser,
      "Usage: quadrille run [-n N] [--] COMMAND...\n"
      "Each rank is a process. The exit code is 0, or that of the first rank that failed (128 + N if signal N ended it). Then the "
      "other ranks are ended. INT, TERM, HUP and QUIT are passed on to the ranks and to what they have started. What is left 10 s "
      "later is killed, at once on a second INT. If this command is killed, so are they.\n\n"
      "Examples:\n  quadrille run -n 8 quadrille race alltoall\n  quadrille run -n 4 -- ./my_program --its-option");
  return {parser, [options] { return run(*options); }};
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
// quadrille run: starts ranks that share memory, without an MPI library.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "options/arguments.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/preload.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_processes = 1024;

struct RunArguments {
  Count ranks = 2;
  std::optional<std::string> heap;
  std::vector<std::string> command;
};

int run_run(const RunArguments& options) {
  if (options.ranks > most_processes)
    refuse(fmt::format("{} ranks are too many processes; the limit is {}", options.ranks, most_processes));
  if (options.command.empty()) refuse("name a command: quadrille run -n 8 quadrille race alltoall");
  if (options.heap) preload_heap(*options.heap);
  return run_ranks(options.ranks, options.command);
}

}  // namespace

Subcommand add_run(CLI::App& command) {
  auto options = std::make_shared<RunArguments>();
  OptionTable table(command, "run", "start ranks that share memory, without an MPI library");
  table.add(group::execution,
            {{"-n", "N", {options->ranks, whole("the number of ranks", 1)}, "number of ranks (default {default})"},
             {"--heap", "KIND", options->heap,
              "large allocations of the command come from memory that its processes share, as with 'quadrille wrap --heap'"}});
  table.set_footer(
      "Usage: quadrille run [-n N] [--heap] [--] COMMAND...\n"
      "Each rank is a process. If a signal ends a rank, the other ranks get SIGTERM within 100 ms. If a rank exits with a code "
      "other "
      "than "
      "0, the other ranks get SIGTERM 10 s later. SIGKILL follows 1 s after SIGTERM. The exit code is 0, 128 + N if signal N ended "
      "a rank, or that of the first rank that failed.\n"
      "SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to the ranks and the programs that they have started. Processes that "
      "still "
      "run 10 s later, or at a second SIGINT, get SIGKILL. If this command is killed, all of these processes are killed, too.\n\n"
      "Examples:\n"
      "  quadrille run -n 8 quadrille race alltoall\n"
      "  quadrille run -n 4 -- ./my_program --its-option");
  Subcommand subcommand{std::move(table), [options] { return run_run(*options); }};
  subcommand.program = ProgramWords{&options->command, {{"--heap", "on"}}};
  return subcommand;
}

}  // namespace quadrille::command

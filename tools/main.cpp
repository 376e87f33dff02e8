// SPDX-License-Identifier: BSD-3-Clause
// The command `quadrille`. Results go to stdout, messages to stderr. Exit code 0: success, 1: findings (something is wrong with
// the data or schedule examined), 2: wrong use or another failure. Each failure prints one sentence on stderr. Under a launcher,
// all processes run a collective subcommand (race, calibrate, tune, audit, `wisdom path`) together, and only rank 0 prints. Any
// other subcommand is run by each process independently.
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <new>
#include <thread>
#include <vector>

#include "options/arguments.hpp"
#include "options/help_text.hpp"
#include "quadrille/error.hpp"
#include "quadrille/version.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

constexpr const char* summary =
    "Collective communication by verified schedules: list, print, verify, draw, price, simulate and race algorithms.";

constexpr const char* lesson =
    R"(Sizes are bytes, 64, or have a unit, 64KiB or 1.5MiB: K or KiB is 1024 bytes, kB or KB is 1000, and so on with M, G and T.
Lists have commas, ranges two dots: --ranks 2..8,16. A range of sizes doubles: --block 8..64KiB is 8B, 16B, 32B, up to 64KiB.
Results go to stdout, messages to stderr. Exit code: 0 good, 1 findings or wrong data, 2 wrong use.

Examples:
  quadrille list alltoall
  quadrille verify alltoall --ranks 2..16
  quadrille race alltoall --block 8B,1KiB,64KiB
  mpirun -n 4 quadrille race alltoall
  quadrille run -n 4 quadrille race alltoall)";

// Opens those of stdin, stdout and stderr that are closed. Otherwise the next opened file would get the number of a closed
// stream, and messages would be written into the file. stdout becomes /dev/full, so that writing results fails with an error; the
// others become /dev/null.
void occupy_standard_streams() {
  for (const int descriptor : {0, 1, 2})
    if (::fcntl(descriptor, F_GETFD) == -1 && ::open(descriptor == 1 ? "/dev/full" : "/dev/null", O_RDWR) == -1)
      std::_Exit(misused);
}

// `only`: the name of the one subcommand to set up; empty: all are set up.
std::vector<Subcommand> set_up(CLI::App& parser, std::string_view only) {
  parser.set_version_flag("--version", fmt::format("quadrille {}", version()), "print the version")->group(group::others);
  parser.set_help_flag("-h,--help", "print this help")->group(group::others);
  parser.footer(lesson);
  parser.allow_extras();
  parser.require_subcommand(0, 1);  // "help verify": the second subcommand's name is an argument of the first
  std::vector<Subcommand> subcommands = add_subcommands(parser, only);
  for (const Subcommand& subcommand : subcommands) {
    subcommand.options.parser().allow_extras();
    subcommand.options.parser().get_help_ptr()->group(group::others);
    for (CLI::Option* option : subcommand.options.parser().get_options())
      if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
  return subcommands;
}

// Parses the command line. If the words ask for help or for the version, prints it and returns true.
bool parse(CLI::App& parser, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 expects them in reverse order
  try {
    parser.parse(std::move(words));
    return false;
  } catch (const CLI::CallForHelp&) {
    const auto asked = parser.get_subcommands();
    Output().finish(help_text(asked.empty() ? parser : *asked.front()));
    return true;
  } catch (const CLI::CallForVersion& version) {
    Output().finish(std::string(version.what()) + "\n");
    return true;
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_mismatch(error.what());
  } catch (const CLI::ParseError& error) {
    refuse(fmt::format("{}; see 'quadrille --help'", error.what()));
  }
}

int run(std::vector<std::string> words) {
  CLI::App parser{summary, "quadrille"};
  // Every rank of a job starts `wrap`. To save time, no other subcommands are set up for `wrap`.
  const std::vector<Subcommand> subcommands = set_up(parser, !words.empty() && words[0] == "wrap" ? words[0] : std::string());
  std::vector<std::string> names;
  for (const Subcommand& subcommand : subcommands) {
    names.push_back(subcommand.options.parser().get_name());
    if (subcommand.program && !words.empty() && words[0] == names.back())
      take_program(subcommand.options.parser(), *subcommand.program, words);
  }

  refuse_wrong_values(parser, words);
  if (parse(parser, std::move(words))) return good;
  const auto chosen =
      std::find_if(subcommands.begin(), subcommands.end(), [](const Subcommand& entry) { return entry.options.parser().parsed(); });
  if (const auto leftover = parser.remaining(); !leftover.empty()) {
    if (chosen == subcommands.end() && leftover[0][0] != '-') refuse_unknown("subcommand", leftover[0], names);
    refuse_leftover(parser, leftover);
  }
  if (chosen == subcommands.end())
    refuse(fmt::format("say what to do: {}; 'quadrille help' explains them", fmt::join(names, ", ")));
  try {
    if (chosen->is_collective()) let_first_rank_talk();
  } catch (const Error&) {
    // The environment names a transport that does not exist. All ranks have the same environment, so only one of them reports it.
    let_first_rank_talk();
    throw;
  }
  refuse_leftover(chosen->options.parser(), chosen->options.parser().remaining());
  check_output_extension(chosen->options.parser(), chosen->writes ? chosen->writes() : format_of_flags(chosen->options.parser()));
  if (chosen->reads_environment) check_environment();
  chosen->options.read_values();
  return chosen->run();
}

}  // namespace
}  // namespace quadrille::command

int main(int argc, char** argv) {
  using namespace quadrille::command;
  occupy_standard_streams();
  std::ios::sync_with_stdio(false);
  try {
    return run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const std::bad_alloc&) {
    complain("this needs more memory than the machine gives");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  // Some launchers kill all processes when the first one exits. So the process that has printed the error must exit first, or its
  // text might be lost.
  if (!talks()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return misused;
}

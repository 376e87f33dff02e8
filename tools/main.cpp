// SPDX-License-Identifier: BSD-3-Clause
// The command `quadrille`. Results go to stdout, talk goes to stderr; exit 0: good, 1: findings, 2: misuse. Whatever goes
// wrong is one sentence on stderr. Under an MPI launcher race and calibrate are collective, and rank 0 talks; anything else every
// process does for itself.
#include <fcntl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <new>
#include <thread>
#include <vector>

#include "arguments.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "help_text.hpp"
#include "output.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "talk.hpp"

namespace quadrille::command {
namespace {

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

// A closed stdin, stdout or stderr would be the number of the next file that is opened, and talk would end up in it.
void occupy_standard_streams() {
  for (const int descriptor : {0, 1, 2})
    if (::fcntl(descriptor, F_GETFD) == -1 && ::open(descriptor == 1 ? "/dev/full" : "/dev/null", O_RDWR) == -1)
      std::_Exit(misused);
}

// After this word all words are arguments, even those that begin with a dash.
constexpr std::string_view end_of_options = "--";

// CLI11 takes "--block= --ranks 4" for "--block --ranks=4", and "--json=" for "--json".
void refuse_empty_values(const CLI::App& command, int count, char** arguments) {
  const CLI::App* asked = &command;
  for (int i = 1; i < count && arguments[i] != end_of_options; ++i) {
    const std::string word = arguments[i];
    if (asked == &command)
      for (const CLI::App* subcommand : command.get_subcommands({}))
        if (subcommand->get_name() == word) asked = subcommand;
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    const std::string name = word.substr(0, word.size() - 1);
    if (const CLI::Option* option = asked->get_option_no_throw(name))
      refuse(fmt::format("{} {} value", name, option->get_items_expected_max() == 0 ? "takes no" : "needs a"));
  }
}

// What the parser did not understand: options and arguments too many.
void refuse_leftover(const CLI::App& parser, const std::vector<std::string>& leftovers) {
  const bool marked = !leftovers.empty() && leftovers[0] == end_of_options;  // which CLI11 leaves there
  if (leftovers.size() == (marked ? 1 : 0)) return;
  const std::string& leftover = leftovers[marked ? 1 : 0];
  const std::string help = fmt::format("see '{} --help'", full_name(parser));
  if (marked || leftover.size() < 2 || leftover[0] != '-') refuse(fmt::format("'{}' is one argument too many; {}", leftover, help));
  std::vector<std::string> known;
  for (const CLI::Option* option : parser.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string name = leftover.substr(0, leftover.find('='));
  const auto guess = nearest(name, known);
  refuse(fmt::format("there is no option '{}'; {}", name, guess ? fmt::format("did you mean '{}'?", *guess) : help));
}

// "--ranks: 1 required LIST missing", "--ranks: At Most 1 required but received 2", "json was given a disallowed flag override"
[[noreturn]] void refuse_mismatch(const std::string& complaint) {
  const std::string option = complaint.substr(0, complaint.find_first_of(": "));
  if (complaint.ends_with("missing")) refuse(fmt::format("{} needs a value", option));
  if (complaint.ends_with("override")) refuse(fmt::format("--{} takes no value", option));
  refuse(fmt::format("{} is given more than once", option));
}

int run(int count, char** arguments) {
  CLI::App parser{"Collective communication by verified schedules: list, print, verify, draw, price, simulate and race algorithms.",
                  "quadrille"};
  parser.set_version_flag("--version", "quadrille " QUADRILLE_VERSION, "print the version")->group(group::others);
  parser.set_help_flag("-h,--help", "print this help")->group(group::others);
  parser.footer(lesson);
  parser.allow_extras();
  parser.require_subcommand(0, 1);  // what stands behind the first is an argument: help verify
  const std::vector<Subcommand> subcommands{add_list(parser),
                                            add_info(parser),
                                            add_schedule(parser),
                                            add_verify(parser),
                                            add_draw(parser),
                                            add_explain(parser),
                                            add_price(parser),
                                            add_simulate(parser),
                                            add_calibrate(parser),
                                            add_tune(parser),
                                            add_wisdom(parser),
                                            add_race(parser),
                                            add_compare(parser),
                                            add_plot(parser),
                                            add_audit(parser),
                                            add_reproduce(parser),
                                            add_run(parser, split_off_command("run", "-n", count, arguments)),
                                            add_wrap(parser, split_off_wrapped(count, arguments)),
                                            add_preload(parser),
                                            add_report(parser),
                                            add_completion(parser),
                                            add_manual(parser),
                                            add_help(parser)};
  for (const Subcommand& subcommand : subcommands) {
    subcommand.parser->allow_extras();
    subcommand.parser->get_help_ptr()->group(group::others);
    for (CLI::Option* option : subcommand.parser->get_options())
      if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }

  refuse_empty_values(parser, count, arguments);
  try {
    parser.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    const auto asked = parser.get_subcommands();
    Output().finish(help_text(asked.empty() ? parser : *asked.front()));
    return good;
  } catch (const CLI::CallForVersion& version) {
    Output().finish(std::string(version.what()) + "\n");
    return good;
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_mismatch(error.what());
  } catch (const CLI::ParseError& error) {
    refuse(fmt::format("{}; see 'quadrille --help'", error.what()));
  }

  const auto chosen =
      std::find_if(subcommands.begin(), subcommands.end(), [](const Subcommand& entry) { return entry.parser->parsed(); });
  if (const auto leftover = parser.remaining(); !leftover.empty()) {
    std::vector<std::string> known;
    for (const Subcommand& subcommand : subcommands) known.push_back(subcommand.parser->get_name());
    if (chosen == subcommands.end() && leftover[0][0] != '-') refuse_unknown("subcommand", leftover[0], known);
    refuse_leftover(parser, leftover);
  }
  if (chosen == subcommands.end())
    refuse(
        "say what to do: list, info, schedule, verify, draw, price, simulate, calibrate, race, compare, plot, wisdom, reproduce or "
        "run; "
        "'quadrille help' explains them");
  if (chosen->is_collective()) let_first_rank_talk();
  refuse_leftover(*chosen->parser, chosen->parser->remaining());
  return chosen->run();
}

}  // namespace
}  // namespace quadrille::command

int main(int argc, char** argv) {
  using namespace quadrille::command;
  occupy_standard_streams();
  std::ios::sync_with_stdio(false);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("this needs more memory than the machine gives");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  // A launcher may end all when the first process does, so the one that has spoken goes first.
  if (!talks()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return misused;
}

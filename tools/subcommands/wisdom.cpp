// SPDX-License-Identifier: BSD-3-Clause
// quadrille wisdom: shows, merges and exports wisdom, the results of measurements on this machine that are kept for later runs.
#include "subcommands/wisdom.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>

#include "foundation/alternatives.hpp"
#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "options/documents.hpp"
#include "quadrille/groups.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/output.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {
namespace {

struct WisdomAction {
  std::string_view name;
  int (*run)(const WisdomOptions&);
  bool prints_json = false, for_library = false;
};

int merge(const WisdomOptions& options) {
  if (options.files.size() < 2) refuse("name the files to merge: quadrille wisdom merge A B --output C");
  Output output(options.output);
  Wisdom merged = read_named_wisdom(options.files.front());
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    const Wisdom next = read_named_wisdom(options.files[i]);
    if (next.machine != merged.machine)
      refuse(fmt::format("'{}' and '{}' are of two machines, whose times cannot be compared", options.files.front(),
                         options.files[i]));
    merged.merge(next);
  }
  output.finish(wisdom_text(merged));
  return good;
}

// Collective if ranks were launched, because the file belongs to the machine, network and MPI library that they use.
int path(const WisdomOptions& options) {
  if (!options.files.empty()) refuse(fmt::format("'{}' is one argument too many", options.files.front()));
  const auto print = [&](Communicator& communicator) {
    const std::string file = wisdom_file(fingerprint(communicator));
    if (communicator.rank() != 0) return;
    if (file.empty()) refuse("there is no file: QUADRILLE_WISDOM is off, or there is no home folder");
    Output(options.output).finish(file + '\n');
  };
  if (joins_launched_ranks({}))
    print(*join_launched_ranks());
  else
    run_threads(1, print);
  return good;
}

constexpr std::array actions{
    WisdomAction{.name = "show", .run = show_wisdom, .prints_json = true}, WisdomAction{.name = "merge", .run = merge},
    WisdomAction{.name = "export", .run = export_wisdom, .for_library = true}, WisdomAction{.name = "path", .run = path}};

void refuse_what_it_ignores(const WisdomAction& action, const WisdomOptions& options) {
  if (options.json && !action.prints_json) refuse("--json is for 'quadrille wisdom show'; leave it out");
  if (!options.collectives.empty() && !action.prints_json) refuse("--collective is for 'quadrille wisdom show'; leave it out");
  if (options.library && !action.for_library) refuse("--for is for 'quadrille wisdom export'; leave it out");
}

int run_wisdom(const WisdomOptions& options) {
  std::vector<std::string> known;
  for (const WisdomAction& action : actions) {
    if (action.name == options.action) {
      refuse_what_it_ignores(action, options);
      return action.run(options);
    }
    known.emplace_back(action.name);
  }
  if (options.action.empty()) refuse(fmt::format("say what to do with wisdom: {}", fmt::join(known, ", ")));
  refuse_unknown("action", options.action, known);
}

}  // namespace

Wisdom read_named_wisdom(const std::string& file) {
  return parse_wisdom(read_text(file, file == "-" ? "stdin" : "'" + file + "'"), file);
}

Subcommand add_wisdom(CLI::App& command) {
  auto options = std::make_shared<WisdomOptions>();
  CLI::App* parser =
      add_subcommand(command, "wisdom", "show, merge or export wisdom: the kept results of measurements on this machine");
  add_option(*parser, "action", options->action, "what to do with wisdom", "show|merge|export|path");
  add_option(*parser, "files", options->files, "files of wisdom; '-' is stdin (show: default those in the user's folder)", "FILE");
  begin_group(*parser, group::problem);
  add_option(*parser, "--collective", options->collectives, "show: only this collective; may be repeated", "COLLECTIVE");
  begin_group(*parser, group::machine);
  add_option(*parser, "--for", options->library, "export: for which MPI library, " + alternatives(libraries_with_rules()),
             "LIBRARY");
  add_json_flag(*parser, options->json, "show: print JSON");
  add_output_option(*parser, options->output);
  set_footer(
      *parser,
      "show prints the fastest way of each race, its time, and this time divided by that of the MPI library's own collective. A "
      "race "
      "also answers for sizes and numbers of ranks near its own; show prints these ranges.\n"
      "merge prints the wisdom of several files of one machine; a race that several of them have counts once.\n"
      "export prints rules by which an MPI library chooses the fastest of its own algorithms, also in programs that do not use "
      "Quadrille. There is a rule wherever 'quadrille tune --vendor' has found an algorithm that is faster than the library's "
      "choice.\n"
      "path prints the name of the file for this machine and its MPI library; run it under the launcher.\n"
      "Files lie in ~/.cache/quadrille/wisdom, one for each machine and MPI library. QUADRILLE_WISDOM names another file or "
      "folder, or is 'off'.\n\n"
      "Examples:\n"
      "  quadrille wisdom show\n"
      "  quadrille wisdom show --collective alltoall --json\n"
      "  mpirun -n 4 quadrille wisdom path\n"
      "  quadrille wisdom merge a.wisdom b.wisdom --output both.wisdom\n"
      "  quadrille wisdom export --for openmpi --output rules.conf");
  Subcommand subcommand{parser, [options] { return run_wisdom(*options); },
                        [options] { return options->action == "path" && joins_launched_ranks({}); }};
  subcommand.writes = [options, parser]() -> std::optional<FileFormat> {
    if (options->action == "show") return format_of_flags(*parser);
    const RulesFormat* const format = find_rules_format(options->library.value_or(""));
    // checked here, because --json is for show
    const bool is_json = options->action == "export" && format && format->is_json;
    if (options->output) check_extension(*options->output, is_json ? FileFormat::json : FileFormat::text);
    return std::nullopt;
  };
  return subcommand;
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
// quadrille wisdom: shows, merges and exports wisdom, the results of measurements on this machine that are kept for later runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/mpi_libraries.hpp"
#include "foundation/text/wording.hpp"
#include "mpi_face/policy/findings.hpp"
#include "options/arguments.hpp"
#include "options/documents.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/wisdom.hpp"
#include "reports/confirmed_rules.hpp"
#include "reports/tune_report.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"
#include "support/text.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {
namespace {

struct WisdomOptions {
  std::string action;
  std::vector<std::string> files;
  std::vector<Collective> collectives;
  std::optional<std::string> library, output;
  std::vector<std::string> launchers;
  bool json = false;
};

// Reads a wisdom file that the user names, which may be a pipe; "-" is stdin. (read_any_wisdom reads files that are found in the
// user's folder.) Throws Error{misuse, environment, malformed}.
Wisdom read_named_wisdom(const std::string& file) { return parse_wisdom(read_text(file, label_of(file)), file); }

using Chosen = std::vector<Collective>;  // empty: all

bool is_chosen(const Chosen& chosen, Collective collective) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), collective) != chosen.end();
}

std::string_view name(Combining combining) {
  static constexpr ByEnum<Combining, std::string_view, 3> names{{"any_order", "rank_order", "fixed_tree"}};
  return names[combining];
}

std::string range_text(Count least, Count most) {
  return least == most ? std::to_string(least) : fmt::format("{}..{}", least, most);
}

std::string on_nodes(Count nodes) { return nodes == 1 ? "" : fmt::format(" on {} nodes", nodes); }

// Returns the collective and the other facts that distinguish the situation.
std::string kind_text(const Situation& situation) {
  std::string text{name(situation.collective)};
  if (!situation.counts_known) text += ", own counts";
  if (situation.skew > 1) text += fmt::format(", skew {}", situation.skew);
  if (situation.sparsity > 1) text += fmt::format(", sparsity {}", situation.sparsity);
  if (situation.irregularity > 1) text += fmt::format(", irregularity {}", situation.irregularity);
  if (situation.combining != Combining::any_order) text += fmt::format(", {}", name(situation.combining));
  return text;
}

const Timing* vendor_timing(const WisdomRecord& record) {
  for (const WisdomEntry& entry : record.entries)
    if (entry.way.is_vendor()) return &entry.timing;
  return nullptr;
}

std::string races_text(const Wisdom& wisdom, const Chosen& chosen) {
  Table table("collective|>ranks|>also for|>block|>speaks for|best|>time|>interval|>times MPI's|>launches|date");
  bool any = false;
  for (const WisdomRecord& record : wisdom.records) {
    const Situation& situation = record.situation;
    if (!is_chosen(chosen, situation.collective)) continue;
    any = true;
    const WisdomEntry& best = record.entries.front();
    const Timing* vendor = vendor_timing(record);
    table.add({kind_text(situation), std::to_string(situation.ranks) + on_nodes(situation.nodes),
               record.least_ranks == record.most_ranks ? "" : range_text(record.least_ranks, record.most_ranks),
               bytes_text(situation.block_bytes), fmt::format("{} B", range_text(record.least_bytes, record.most_bytes)),
               to_string(best.way), seconds_text(best.timing.median_s),
               fmt::format("{} to {}", seconds_text(best.timing.lower_s), seconds_text(best.timing.upper_s)),
               vendor ? fmt::format("{:.2f}", best.timing.median_s / vendor->median_s) : "–", std::to_string(record.races.size()),
               record.date});
  }
  return any ? table.text() : "";
}

std::string fits_text(const Wisdom& wisdom, const Chosen& chosen) {
  std::string text;
  for (const ExecutorFit& fit : wisdom.executors)
    text +=
        fmt::format("{} among {}{}: fitted on {}{}, median error {:.0f} %\n", name(fit.executor), counted(fit.ranks, "rank"),
                    on_nodes(fit.nodes), fit.date, fit.preset.empty() ? "" : ", from the machine " + fit.preset, 100 * fit.error);
  for (const VendorFit& fit : wisdom.vendor)
    if (is_chosen(chosen, fit.collective))
      text += fmt::format("MPI's {} among {}{}: {} sizes from {} to {}, {}\n", name(fit.collective), counted(fit.ranks, "rank"),
                          on_nodes(fit.nodes), fit.seconds.size(), bytes_text(fit.seconds.front().first),
                          bytes_text(fit.seconds.back().first), fit.date);
  return text;
}

std::string wisdom_shown(const std::string& file, const Wisdom& wisdom, const Chosen& chosen) {
  const Fingerprint& machine = wisdom.machine;
  std::string text = fmt::format("{}\n{}, {} core{}, network {}, MPI {}\n", file, machine.processor, machine.cores,
                                 machine.cores == 1 ? "" : "s", machine.network, machine.mpi);
  for (const std::string& part : {races_text(wisdom, chosen), fits_text(wisdom, chosen)})
    if (!part.empty()) text += '\n' + part;
  return text;
}

Json wisdom_json(const WisdomRecord& record) {
  const Situation& situation = record.situation;
  Json object{{"collective", name(situation.collective)}};
  object.update(MEMBERS_OF(situation, ranks, nodes, ranks_of_node, block_bytes, counts_known, skew, sparsity, irregularity));
  object["combining"] = name(situation.combining);
  object["speaks_for"] = MEMBERS_OF(record, least_bytes, most_bytes, least_ranks, most_ranks);
  object.update(MEMBERS_OF(record, date, repetitions));
  object["launches"] = record.races.size();
  object["entries"] = array_of(record.entries, [](const WisdomEntry& entry) { return way_json(entry); });
  return object;
}

Json wisdom_json(const ExecutorFit& fit) {
  return joined({{"executor", name(fit.executor)}},
                MEMBERS_OF(fit, ranks, nodes, ranks_of_node, date, error, preset, coefficients));
}

Json wisdom_json(const VendorFit& fit) {
  Json object{{"collective", name(fit.collective)}};
  object.update(MEMBERS_OF(fit, ranks, nodes, ranks_of_node, date));
  object["sizes"] = array_of(fit.seconds, [](const auto& one) { return Json{{"block_bytes", one.first}, {"time_s", one.second}}; });
  return object;
}

Json wisdom_json(const std::string& file, const Wisdom& wisdom, const Chosen& chosen) {
  Json races = Json::array(), vendor = Json::array();
  for (const WisdomRecord& record : wisdom.records)
    if (is_chosen(chosen, record.situation.collective)) races.push_back(wisdom_json(record));
  for (const VendorFit& fit : wisdom.vendor)
    if (is_chosen(chosen, fit.collective)) vendor.push_back(wisdom_json(fit));
  return {{"file", file},
          {"machine", MEMBERS_OF(wisdom.machine, processor, cores, network, mpi)},
          {"races", std::move(races)},
          {"executors", array_of(wisdom.executors, [](const ExecutorFit& fit) { return wisdom_json(fit); })},
          {"vendor", std::move(vendor)}};
}

// Reads a file of the user's folder. If the file cannot be used, for instance because an older version wrote it, says so on
// stderr.
std::optional<Wisdom> kept_wisdom(const std::string& file) {
  try {
    return read_any_wisdom(file);
  } catch (const Error& error) {
    remark(fmt::format("left out: {}", error.what()));
    return std::nullopt;
  }
}

std::string winner_of(const mpi_face::CallFinding& finding) {
  if (!finding.is_ours()) return "vendor";
  const auto way = way_of(finding);
  return way ? to_string(*way) : "exchange";
}

// What the drop-in found in earlier runs of programs.
std::string learned_text(const std::string& file, const mpi_face::Findings& findings) {
  Table table("function|>ranks|>block|won|>time|>times MPI's|>runs|>last, days ago");
  for (const mpi_face::CallFinding& each : findings.all()) {
    table.add({std::string(mpi_face::name(static_cast<mpi_face::Function>(each.function))), std::to_string(each.ranks),
               each.size_class == 0 ? "" : "up to " + bytes_text(Bytes{1} << (each.size_class - 1)), winner_of(each),
               seconds_text(each.ours_s),
               fmt::format("{:.2f} ({:.2f} to {:.2f})", each.ours_s / each.vendors_s, each.least_ratio, each.greatest_ratio),
               std::to_string(each.runs), std::to_string(mpi_face::day_now() - each.day)});
  }
  return fmt::format("{}\nlearned by the drop-in in earlier runs\n\n{}", file, table.text());
}

Json learned_json(const mpi_face::CallFinding& each) {
  Json object{{"function", mpi_face::name(static_cast<mpi_face::Function>(each.function))}, {"ranks", each.ranks}};
  object["most_bytes"] = each.size_class == 0 ? 0 : Bytes{1} << (each.size_class - 1);
  object["won"] = winner_of(each);
  object.update(MEMBERS_OF(each, ours_s, vendors_s, least_ratio, greatest_ratio, runs, missed, calls));
  object["days_ago"] = mpi_face::day_now() - each.day;
  return object;
}

mpi_face::Findings learned_findings() {
  const std::string file = mpi_face::findings_file();
  return file.empty() ? mpi_face::Findings() : mpi_face::read_findings(file, mpi_face::day_now());
}

// Prints files of wisdom as tables, or as JSON.
int show_wisdom(const WisdomOptions& options) {
  Output output(options.output);
  const std::vector<std::string> files = options.files.empty() ? wisdom_files() : options.files;
  const bool tells_learned = options.files.empty() && options.collectives.empty();
  const mpi_face::Findings learned = tells_learned ? learned_findings() : mpi_face::Findings();
  if (files.empty() && learned.empty()) remark("nothing was measured yet; measure it: quadrille tune");
  Json array = Json::array();
  std::string text;
  for (const std::string& file : files) {
    const auto wisdom = options.files.empty() ? kept_wisdom(file) : read_named_wisdom(file);
    if (!wisdom) continue;
    array.push_back(wisdom_json(file, *wisdom, options.collectives));
    text += (text.empty() ? "" : "\n") + wisdom_shown(file, *wisdom, options.collectives);
  }
  if (array.empty() && !files.empty()) refuse("no file of wisdom can be used; measure anew: quadrille tune");
  if (!learned.empty()) {
    const std::string file = mpi_face::findings_file();
    text += (text.empty() ? "" : "\n") + learned_text(file, learned);
    array.push_back({{"file", file}, {"learned", array_of(learned.all(), learned_json)}});
  }
  output.finish(options.json ? document_text("wisdom", array) : text);
  return good;
}

const RulesFormat& format_for(const std::optional<std::string>& library) {
  const std::vector<std::string> known = libraries_with_rules();
  if (!library) refuse(fmt::format("say for which MPI library: --for {}", fmt::join(known, " or --for ")));
  const RulesFormat* const format = find_rules_format(*library);
  if (!format) refuse_unknown("MPI library", *library, known);
  return *format;
}

// Returns the files in which `tune --vendor` keeps measurements of this library.
std::vector<std::string> kept_files(std::string_view title) {
  const std::filesystem::path any = vendor_wisdom_file({});
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(any.parent_path(), ignored))
    if (entry.path().extension() == any.extension())
      if (const auto kept = kept_wisdom(entry.path()); kept && kept->machine.mpi.starts_with(title)) files.push_back(entry.path());
  if (files.empty())
    refuse(fmt::format("nothing is known of {}'s own algorithms; measure them first: mpirun -n 8 quadrille tune --vendor", title));
  if (files.size() > 1) refuse(fmt::format("there is wisdom of several machines; name the file: {}", fmt::join(files, " ")));
  return files;
}

// Writes only rules that make the library faster without our library, and prints by how much. Each launcher is for the rules for
// the number of ranks that it starts.
int export_confirmed(const VendorRules& rules, const Wisdom& wisdom, const RulesFormat& format, const WisdomOptions& options) {
  if (!options.output || *options.output == "-") refuse("--confirm needs a file that the MPI library can read: --output FILE");
  VendorRules measured, confirmed;
  for (const WisdomRecord& record : wisdom.records)
    measured[{record.situation.collective, record.situation.ranks}].try_emplace(record.situation.block_bytes);
  std::string text;
  for (const std::string& launcher : options.launchers) {
    VendorRules own = rules;
    text += (text.empty() ? "" : "\n") + text_of(confirm(own, measured, format, launcher, *options.output));
    confirmed.merge(own);
  }
  const std::vector<std::string> settings = write_rules(confirmed, format, *options.output);
  Output().finish(text);
  if (settings.empty())
    remark("no rule makes the library faster here: no file is written");
  else
    remark(fmt::format("set in the environment to use them: {}", fmt::join(settings, " ")));
  return good;
}

// Writes measurements of an MPI library's own algorithms as a file of rules that the library reads.
int export_wisdom(const WisdomOptions& options) {
  const RulesFormat& format = format_for(options.library);
  const std::string_view title = find_mpi_library(format.library)->title;
  const std::optional<std::string>& output = options.output;
  Output out(output);
  Wisdom wisdom;
  for (const std::string& file : options.files.empty() ? kept_files(title) : options.files) {
    const Wisdom read_here = options.files.empty() ? read_any_wisdom(file) : read_named_wisdom(file);
    if (!read_here.machine.mpi.starts_with(title))
      refuse(fmt::format("the wisdom '{}' is of {}, but --for asks for rules of {}", file, read_here.machine.mpi, title));
    if (wisdom.machine.mpi.empty()) wisdom.machine = read_here.machine;
    wisdom.merge(read_here);
  }
  VendorRules rules = vendor_rules(wisdom, format.tells_nodes);
  if (!options.launchers.empty()) return export_confirmed(rules, wisdom, format, options);
  const RulesFile made = format.write(rules);
  for (const std::string& sentence : made.left_out) remark("left out: " + sentence);
  if (made.rules == 0)
    remark(fmt::format("none of the measured algorithms is faster than {}'s own choice: the file changes nothing", title));
  out.finish(made.text);
  const bool to_file = output && *output != "-";
  remark("set in the environment to use it: " +
         fmt::format("{}{}", format.setting, to_file ? std::filesystem::absolute(*output).string() : std::string("FILE")));
  return good;
}

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

// Deletes what the drop-in learned. Measured wisdom stays.
int forget(const WisdomOptions& options) {
  if (!options.files.empty()) refuse(fmt::format("'{}' is one argument too many", options.files.front()));
  const std::string file = mpi_face::findings_file();
  if (file.empty()) refuse("there is no file: QUADRILLE_WISDOM or QUADRILLE_LEARN is off, or there is no home folder");
  const std::size_t findings = learned_findings().all().size();
  std::error_code error;
  const bool is_removed = std::filesystem::remove(file, error);
  if (error) refuse(fmt::format("'{}' cannot be removed: {}", file, error.message()));
  Output(options.output)
      .finish(is_removed ? fmt::format("forgot {} of earlier runs\n", counted(findings, "finding")) : "nothing was learned\n");
  return good;
}

// An action returns the exit code.
struct WisdomAction {
  std::string_view name;
  int (*run)(const WisdomOptions&);
  bool prints_json = false, for_library = false;
};

constexpr std::array actions{WisdomAction{.name = "show", .run = show_wisdom, .prints_json = true},
                             WisdomAction{.name = "merge", .run = merge},
                             WisdomAction{.name = "export", .run = export_wisdom, .for_library = true},
                             WisdomAction{.name = "path", .run = path}, WisdomAction{.name = "forget", .run = forget}};

void refuse_what_it_ignores(const WisdomAction& action, const WisdomOptions& options) {
  if (options.json && !action.prints_json) refuse("--json is for 'quadrille wisdom show'; leave it out");
  if (!options.collectives.empty() && !action.prints_json) refuse("--collective is for 'quadrille wisdom show'; leave it out");
  if (options.library && !action.for_library) refuse("--for is for 'quadrille wisdom export'; leave it out");
  if (!options.launchers.empty() && !action.for_library) refuse("--confirm is for 'quadrille wisdom export'; leave it out");
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

Subcommand add_wisdom(CLI::App& command) {
  auto options = std::make_shared<WisdomOptions>();
  OptionTable table(command, "wisdom", "show, merge or export wisdom: the kept results of measurements on this machine");
  table.add(group::arguments,
            {{"action", "show|merge|export|path|forget", options->action, "what to do with wisdom"},
             {"files", "FILE", options->files, "files of wisdom; '-' is stdin (show: default those in the user's folder)"}});
  table.add(
      group::problem,
      {{"--collective", "COLLECTIVE", {options->collectives, parse_collectives}, "show: only this collective; may be repeated"}});
  table.add(
      group::machine,
      {{"--for", "LIBRARY", options->library, "export: for which MPI library, " + alternatives(libraries_with_rules())},
       {"--confirm", "LAUNCHER", options->launchers,
        "export: starts ranks by LAUNCHER ('mpirun -n 8'), races the library with the rules and without, and keeps only rules "
        "with which it is faster; repeatable, one for each number of ranks"}});
  table.add_json(options->json, "show: print JSON");
  table.add_output(options->output);
  table.set_footer(
      "show prints the fastest way of each race, its time, and this time divided by that of the MPI library's own collective. A "
      "race "
      "also answers for sizes and numbers of ranks near its own; show prints these ranges.\n"
      "merge prints the wisdom of several files of one machine; a race that several of them have counts once.\n"
      "export prints rules by which an MPI library chooses the fastest of its own algorithms, also in programs that do not use "
      "Quadrille. There is a rule wherever 'quadrille tune --vendor' has found an algorithm that is faster than the library's "
      "choice. With --confirm, collectives that the library can split by nodes are tried on several nodes, too.\n"
      "path prints the name of the file for this machine and its MPI library; run it under the launcher.\n"
      "forget deletes what the drop-in ('quadrille wrap') learned in earlier runs of programs; show prints that, too.\n"
      "Files lie in ~/.cache/quadrille/wisdom, one for each machine and MPI library. QUADRILLE_WISDOM names another file or "
      "folder, or is 'off'.\n\n"
      "Examples:\n"
      "  quadrille wisdom show\n"
      "  quadrille wisdom show --collective alltoall --json\n"
      "  mpirun -n 4 quadrille wisdom path\n"
      "  quadrille wisdom merge a.wisdom b.wisdom --output both.wisdom\n"
      "  quadrille wisdom export --for openmpi --output rules.conf\n"
      "  quadrille wisdom export --for openmpi --output rules.conf --confirm 'mpirun -n 8'");
  Subcommand subcommand{std::move(table), [options] { return run_wisdom(*options); },
                        [options] { return options->action == "path" && joins_launched_ranks({}); }};
  subcommand.writes = [options, &parser = subcommand.options.parser()]() -> std::optional<FileFormat> {
    if (options->action == "show") return format_of_flags(parser);
    const RulesFormat* const format = find_rules_format(options->library.value_or(""));
    // checked here, because --json is for show
    const bool is_json = options->action == "export" && format && format->is_json;
    if (options->output) check_extension(*options->output, is_json ? FileFormat::json : FileFormat::text);
    return std::nullopt;
  };
  return subcommand;
}

}  // namespace quadrille::command

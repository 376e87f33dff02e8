// SPDX-License-Identifier: BSD-3-Clause
// quadrille compare: shows what changed between two races, or between two runs of a program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "reports/compared_run.hpp"
#include "reports/result_file.hpp"
#include "reports/run_comparison.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/text.hpp"
#include "tune/median.hpp"

namespace quadrille::command {
namespace {

struct CompareArguments {
  std::vector<std::string> files;
  double fail_above = std::numeric_limits<double>::infinity();
  std::optional<std::string> output;
  bool json = false;
};

// One candidate at one size.
struct Cell {
  const RaceFileSize* size = nullptr;
  const RaceFileEntry* entry = nullptr;
};

struct Change {
  Cell a, b;
  RatioOfRuns ratio;  // B's time divided by A's

  bool is_known() const { return ratio.confidence >= wanted_confidence; }
  bool is_marked() const { return is_known() && (ratio.lower > 1 || ratio.upper < 1); }
  std::string_view verdict() const {
    return !is_known() ? "too few repetitions" : ratio.lower > 1 ? "slower" : ratio.upper < 1 ? "faster" : "";
  }
};

struct Comparison {
  RaceFile a, b;
  std::vector<Change> changes;
  std::vector<Cell> only_in_a, only_in_b;
};

bool same_size(const RaceFileSize& a, const RaceFileSize& b) {
  return a.bytes == b.bytes && a.counts == b.counts && a.root == b.root && a.reproducible == b.reproducible;
}

// Candidates with the same steps ran once, under the name of the first candidate. So any of their names may match.
bool same_algorithm(const RaceFileEntry& a, const RaceFileEntry& b) {
  const auto has = [](const RaceFileEntry& entry, const std::string& name) {
    return entry.algorithm == name || std::find(entry.same_as.begin(), entry.same_as.end(), name) != entry.same_as.end();
  };
  return has(b, a.algorithm) ||
         std::any_of(a.same_as.begin(), a.same_as.end(), [&](const std::string& name) { return has(b, name); });
}

bool same_settings(const RaceFileEntry& a, const RaceFileEntry& b) {
  return a.executor == b.executor && a.settings() == b.settings();
}

std::vector<Cell> cells_of(const RaceFile& race) {
  std::vector<Cell> cells;
  for (const RaceFileSize& size : race.sizes)
    for (const RaceFileEntry& entry : size.entries) {
      if (entry.checked)
        cells.push_back({&size, &entry});
      else
        remark(fmt::format("not compared, because its data was wrong in {}: {}, {}", race.file, entry.short_name, size.text));
    }
  return cells;
}

void check_comparable(const RaceFile& a, const RaceFile& b) {
  const auto check = [](std::string_view what, const auto& in_a, const auto& in_b) {
    if (in_a != in_b) refuse(fmt::format("the races cannot be compared: the {} is {} in A and {} in B", what, in_a, in_b));
  };
  check("collective", a.collective, b.collective);
  check("number of ranks", a.ranks, b.ranks);
  check("number of nodes", a.nodes, b.nodes);
  check("operator", a.operation, b.operation);
  check("type", a.type, b.type);
  check("memory", a.memory, b.memory);
  check("state of the caches", std::string_view(a.cold ? "cold" : "warm"), std::string_view(b.cold ? "cold" : "warm"));
  if (a.machine != b.machine) remark(fmt::format("A was measured on {}, B on {}", a.machine, b.machine));
  if (a.transport != b.transport) remark(fmt::format("A was measured over {}, B over {}", a.transport, b.transport));
}

void compare(Comparison& comparison) {
  check_comparable(comparison.a, comparison.b);
  comparison.only_in_b = cells_of(comparison.b);
  for (const Cell& mine : cells_of(comparison.a)) {
    std::vector<Cell>& others = comparison.only_in_b;
    const auto other = std::find_if(others.begin(), others.end(), [&](const Cell& each) {
      return same_size(*mine.size, *each.size) && same_settings(*mine.entry, *each.entry) &&
             same_algorithm(*mine.entry, *each.entry);
    });
    if (other == others.end()) {
      comparison.only_in_a.push_back(mine);
      continue;
    }
    comparison.changes.push_back({mine, *other, ratio_of_runs(mine.entry->repetitions_s, other->entry->repetitions_s)});
    others.erase(other);
  }
  if (comparison.changes.empty()) refuse("the races cannot be compared: no size and candidate is in both");
  std::stable_sort(comparison.changes.begin(), comparison.changes.end(), [](const Change& x, const Change& y) {
    if (x.is_marked() != y.is_marked()) return x.is_marked();
    return std::abs(std::log(x.ratio.median)) > std::abs(std::log(y.ratio.median));
  });
}

std::string line_of(const RaceFile& race) {
  return fmt::format("{} ({}, version {})", race.file, race.machine.empty() ? "unknown machine" : race.machine, race.version);
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format("{} among {}\nA: {}\nB: {}\n\n", comparison.a.collective, counted(comparison.a.ranks, "rank"),
                                 line_of(comparison.a), line_of(comparison.b));
  Table table(">size|algorithm|policy|executor|>A|>B|B / A|B is");
  std::size_t marked = 0;
  double least_confidence = 1;
  for (const Change& change : comparison.changes) {
    const RaceFileEntry &a = *change.a.entry, &b = *change.b.entry;
    marked += change.is_marked();
    least_confidence = std::min(least_confidence, change.ratio.confidence);
    table.add({change.a.size->text, a.short_name, a.settings(), a.is_vendor ? "" : a.executor, seconds_text(a.seconds.median),
               seconds_text(b.seconds.median),
               fmt::format("{:.3f} ({:.3f}..{:.3f})", change.ratio.median, change.ratio.lower, change.ratio.upper),
               std::string(change.verdict())});
  }
  text += table.text() + '\n';
  for (const auto& [cells, name] : {std::pair(&comparison.only_in_a, 'A'), std::pair(&comparison.only_in_b, 'B')})
    for (const Cell& cell : *cells)
      text += fmt::format("only in {}: {}, {}{}{}\n", name, cell.size->text, cell.entry->short_name,
                          cell.entry->is_vendor ? "" : ", " + cell.entry->settings(),
                          cell.entry->is_vendor ? "" : ", " + cell.entry->executor);
  text += paragraph(
      fmt::format(
          "{} of {} changed; the intervals ({:.0f} % confidence) cover only the repetitions of these two launches. Times also "
          "differ between launches, so repeat both before you draw conclusions",
          marked, comparison.changes.size(), 100 * least_confidence),
      0);
  return text;
}

Json comparison_json(const RaceFile& race) { return MEMBERS_OF(race, file, transport, machine, version); }

Json comparison_json(const Cell& cell) {
  const RaceFileEntry& entry = *cell.entry;
  return joined({{"block_bytes", cell.size->bytes}}, MEMBERS_OF(entry, algorithm, policy, buffers, executor, keep_step));
}

Json comparison_json(const Comparison& comparison) {
  const auto change_json = [](const Change& change) {
    Json object = comparison_json(change.a);
    object.update({{"a_median_s", change.a.entry->seconds.median},
                   {"b_median_s", change.b.entry->seconds.median},
                   {"ratio", change.ratio.median}});
    object.update(MEMBERS_OF(change.ratio, lower, upper, confidence));
    object["verdict"] = change.verdict().empty() ? "no change seen" : change.verdict();
    return object;
  };
  const auto cell_json = [](const Cell& cell) { return comparison_json(cell); };
  Json object = MEMBERS_OF(comparison.a, collective, ranks);
  object.update({{"a", comparison_json(comparison.a)},
                 {"b", comparison_json(comparison.b)},
                 {"changes", array_of(comparison.changes, change_json)},
                 {"only_in_a", array_of(comparison.only_in_a, cell_json)},
                 {"only_in_b", array_of(comparison.only_in_b, cell_json)}});
  return object;
}

int compare_runs(const CompareArguments& options) {
  const RunComparison comparison = compared_runs(options.files[0], options.files[1]);
  Output(options.output).finish(options.json ? document_text("compare", comparison.json) : comparison.text);
  return comparison.slowest > options.fail_above ? with_findings : good;
}

int run_compare(const CompareArguments& options) {
  if (options.files.size() != 2)
    refuse("name two files that 'quadrille race --json' wrote, or two recordings: quadrille compare before.json after.json");
  if (options.files[0] == "-" && options.files[1] == "-") refuse("only one of the two files can be stdin");
  if (is_of_runs(options.files[0]) && is_of_runs(options.files[1])) return compare_runs(options);
  Comparison comparison{.a = read_race_file(options.files[0]), .b = read_race_file(options.files[1])};
  compare(comparison);
  Output(options.output).finish(options.json ? document_text("compare", comparison_json(comparison)) : comparison_text(comparison));
  const auto worst = std::count_if(comparison.changes.begin(), comparison.changes.end(), [&](const Change& change) {
    return change.is_known() && change.ratio.lower > options.fail_above;
  });
  if (worst > 0)
    remark(fmt::format("{} of {} are slower by more than a factor of {}", worst, comparison.changes.size(), options.fail_above));
  return worst > 0 ? with_findings : good;
}

}  // namespace

Subcommand add_compare(CLI::App& command) {
  auto options = std::make_shared<CompareArguments>();
  OptionTable table(command, "compare", "what changed between two races, or two runs of a program, with intervals");
  table.add(group::arguments,
            {{"files", "FILE|FOLDER", options->files,
              "A and B: results of 'quadrille race --json' ('-' is stdin), recordings, reports in JSON, or folders "
              "with several recordings or reports each"}});
  table.add(group::measurement, {{"--fail-above",
                                  "FACTOR",
                                  {options->fail_above, factor("--fail-above", 0.001)},
                                  "exit code 1 if the whole interval of any B / A is above this, such as 1.1"}});
  table.add_json(options->json, "as a JSON object");
  table.add_output(options->output);
  table.set_footer(
      "Candidates are matched by size, algorithm, policy and executor. B / A is the median of the quotients of all repetitions of "
      "B and all repetitions of A (Hodges and Lehmann), and its interval is that of Mann and Whitney's test. B is 'slower' "
      "or 'faster' where the interval excludes 1; these come first, the largest change on top.\n"
      "An interval covers only the repetitions of these two launches, and different launches differ by more. Repeat both before "
      "you draw conclusions from a few per cent.\n"
      "Of two runs: calls are matched by function, operator, block and communicator. The first sentence names what changed most, "
      "the second says what to set, if that is known. a call: the median of its time without waiting for late ranks, plus "
      "that waiting. by: the library's algorithm by its rules, or what ran in our place.\n\n"
      "Examples:\n"
      "  quadrille race alltoall --json -o before.json\n"
      "  quadrille race alltoall --json -o after.json\n"
      "  quadrille compare before.json after.json\n"
      "  quadrille compare before.json after.json --fail-above 1.1\n"
      "  mkdir before; for i in 1 2 3; do mpirun -n 8 quadrille wrap --record=before/$i ./app; done\n"
      "  quadrille compare before after");
  return {std::move(table), [options] { return run_compare(*options); }};
}

}  // namespace quadrille::command

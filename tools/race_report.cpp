// SPDX-License-Identifier: BSD-3-Clause
#include "race_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arguments.hpp"
#include "build.hpp"
#include "cases.hpp"
#include "problem_options.hpp"
#include "talk.hpp"
#include "text.hpp"

namespace quadrille::command {
namespace {

Json json_of(const Spread& spread, const char* suffix) {
  return {{fmt::format("median{}", suffix), spread.median},
          {fmt::format("least{}", suffix), spread.least},
          {fmt::format("most{}", suffix), spread.most}};
}

Json json_of(const RaceEntry& entry) {
  const auto figure = [&](Count Figures::*value) { return entry.figures ? Json((*entry.figures).*value) : Json(nullptr); };
  Json object{{"algorithm", entry.candidate.algorithm},
              {"policy", name(entry.candidate.policy)},
              {"buffers", entry.candidate.buffers},
              {"executor", name(entry.candidate.executor)},
              {"keep_step", entry.candidate.keep_step},
              {"c1", figure(&Figures::c1)},
              {"c2", figure(&Figures::c2)},
              {"staging_bytes", entry.staging_bytes}};
  object.update(json_of(entry.seconds, "_s"));
  object["clock_bound_s"] = entry.clock_bound_s;
  object.update({{"distribute_s", entry.phases.distribute_s},
                 {"communicate_s", entry.phases.communicate_s},
                 {"collect_s", entry.phases.collect_s}});
  object["predicted_s"] = entry.predicted_seconds ? Json(*entry.predicted_seconds) : Json(nullptr);
  object["ratio"] = entry.ratio ? json_of(*entry.ratio, "") : Json(nullptr);
  object["checked"] = entry.failed_check.empty();
  if (!entry.failed_check.empty()) object["failed_check"] = entry.failed_check;
  return object;
}

double s_per_byte(const FlatModel& model) { return model.compose_s_per_byte + model.copy_s_per_byte + model.wire_s_per_byte; }

Json json_of(const RaceResult& result) {
  Json entries = Json::array(), left_out = Json::array();
  for (const RaceEntry& entry : result.entries) entries.push_back(json_of(entry));
  for (const auto& [candidate, reason] : result.left_out) left_out.push_back({{"algorithm", candidate}, {"reason", reason}});
  Json object{{"block_bytes", result.problem.block_bytes},
              {"model",
               {{"name", result.model.name},
                {"startup_s", result.model.startup_s},
                {"s_per_byte", s_per_byte(result.model)},
                {"contention", result.model.contention ? Json(*result.model.contention) : Json(nullptr)}}},
              {"rounds", result.rounds},
              {"runs_per_sample", result.runs_per_sample},
              {"entries", std::move(entries)},
              {"left_out", std::move(left_out)}};
  if (is_rooted(result.problem.collective)) object["root"] = result.problem.root;
  if (is_irregular(result.problem.collective)) object["counts"] = all_counts(result.problem);
  if (is_reduction(result.problem.collective)) object["reproducible"] = result.problem.reproducible;
  return object;
}

std::string label_of(const RaceResult& result, const RaceEntry& entry) {
  return short_name(result.problem, entry.candidate.algorithm);
}

std::string winner_text(const RaceResult& result) {
  const RaceEntry* best = nullptr;
  for (const RaceEntry& entry : result.entries)
    if (entry.failed_check.empty() && (!best || entry.seconds.median < best->seconds.median)) best = &entry;
  if (!best) return "no candidate delivered the right data\n";
  std::string line = fmt::format("fastest: {}, {}", label_of(result, *best), seconds_text(best->seconds.median));
  if (best->ratio && best->candidate.algorithm != "vendor")
    line += fmt::format(", {:.2f} times the vendor's time", best->ratio->median);
  return line + '\n';
}

std::string executor_text(const RaceCandidate& candidate) {
  return candidate.algorithm == "vendor" ? "" : std::string(name(candidate.executor));
}

// "dataflow", or "dataflow/1" where it has one buffer instead of two; "in step" where nodes keep step.
std::string policy_text(const RaceCandidate& candidate) {
  if (candidate.algorithm == "vendor") return "";
  return fmt::format("{}{}{}", name(candidate.policy), candidate.policy == Policy::dataflow && candidate.buffers == 1 ? "/1" : "",
                     candidate.keep_step ? ", in step" : "");
}

// Where the time of a run goes, mean over the ranks.
std::string phases_of(const RaceResult& result) {
  Table table({{"algorithm"},
               {"policy"},
               {"executor"},
               {"distribute", Align::right},
               {"communicate", Align::right},
               {"collect", Align::right}});
  for (const RaceEntry& entry : result.entries)
    if (entry.candidate.algorithm != "vendor")
      table.add({label_of(result, entry), policy_text(entry.candidate), executor_text(entry.candidate),
                 seconds_text(entry.phases.distribute_s), seconds_text(entry.phases.communicate_s),
                 seconds_text(entry.phases.collect_s)});
  return table.text();
}

std::string table_of(const RaceResult& result) {
  Table table({{"algorithm"},
               {"policy"},
               {"executor"},
               {"C1", Align::right},
               {"C2", Align::right},
               {"median", Align::right},
               {"spread", Align::right},
               {"predicted", Align::right},
               {"/ vendor's", Align::right},
               {"data"}});
  for (const RaceEntry& entry : result.entries)
    table.add(
        {label_of(result, entry), policy_text(entry.candidate), executor_text(entry.candidate),
         entry.figures ? fmt::format("{}", entry.figures->c1) : "–", entry.figures ? bytes_text(entry.figures->c2) : "–",
         seconds_text(entry.seconds.median, entry.clock_bound_s),
         fmt::format("{} .. {}", seconds_text(entry.seconds.least), seconds_text(entry.seconds.most)),
         entry.predicted_seconds ? seconds_text(*entry.predicted_seconds) : "–",
         entry.ratio ? fmt::format("{:.2f} ({:.2f}..{:.2f})", entry.ratio->median, entry.ratio->least, entry.ratio->most) : "–",
         entry.failed_check.empty() ? "yes" : "WRONG"});
  return table.text();
}

RatioCell cell_of(const RaceResult& result) {
  const RaceEntry* best = nullptr;
  for (const RaceEntry& entry : result.entries)
    if (entry.candidate.algorithm != "vendor" && entry.failed_check.empty() &&
        (!best || entry.seconds.median < best->seconds.median))
      best = &entry;
  RatioCell cell{block_text(result.problem), {}, 0, {}};
  if (!best) return cell;
  cell.candidate = label_of(result, *best);
  if (best->candidate.policy != Policy::blocking) cell.candidate += '/' + policy_text(best->candidate);
  cell.seconds = best->seconds.median;
  if (best->ratio) cell.times_as_fast = 1 / best->ratio->median;
  return cell;
}

// How many times faster than the vendor's, a column a size; without a vendor the times.
std::string ratios_of(const std::vector<RatioCell>& cells, Count ranks) {
  std::vector<Column> columns{{"ranks", Align::right}};
  std::vector<std::string> figures{std::to_string(ranks)}, candidates{""};
  double logarithms = 0;
  int compared = 0;
  for (const RatioCell& cell : cells) {
    columns.push_back({cell.size, Align::right});
    if (cell.times_as_fast) logarithms += std::log(*cell.times_as_fast), ++compared;
    figures.push_back(cell.candidate.empty() ? "WRONG"
                      : cell.times_as_fast   ? fmt::format("{:.2f}", *cell.times_as_fast)
                                             : seconds_text(cell.seconds));
    candidates.push_back(cell.candidate);
  }
  if (compared > 0) {
    columns.push_back({"mean", Align::right});
    figures.push_back(fmt::format("{:.2f}", std::exp(logarithms / compared)));
    candidates.push_back("");
  }
  Table table(columns);
  table.add(figures);
  table.add(candidates);
  return table.text();
}

std::string chart_of(const RaceResult& result) {
  // Said only where it tells candidates apart.
  const auto varies = [&](std::string (*text)(const RaceCandidate&)) {
    return std::any_of(result.entries.begin(), result.entries.end(), [&](const RaceEntry& entry) {
      return entry.candidate.algorithm != "vendor" && text(entry.candidate) != text(result.entries.front().candidate);
    });
  };
  const bool several_policies = varies(policy_text), several_executors = varies(executor_text);
  std::vector<Bar> bars;
  for (const RaceEntry& entry : result.entries) {
    std::string label = label_of(result, entry);
    if (several_policies && entry.candidate.algorithm != "vendor") label += fmt::format(" {}", policy_text(entry.candidate));
    if (several_executors && entry.candidate.algorithm != "vendor") label += fmt::format(" {}", executor_text(entry.candidate));
    bars.push_back({std::move(label), entry.seconds.least, entry.seconds.median, entry.seconds.most});
  }
  return bar_chart(bars, terminal_width());
}

}  // namespace

Report::Report(const std::optional<std::string>& file, const ReportForm& form, std::string transport, Count ranks,
               const RaceOptions& options)
    : output_(file),
      to_file_(file.has_value()),
      form_(form),
      transport_(std::move(transport)),
      ranks_(ranks),
      options_(options),
      machine_(this_machine()) {}

void Report::add(const RaceResult& result) {
  for (const auto& [candidate, reason] : result.left_out) remark(fmt::format("left out: {}: {}", candidate, reason));
  for (const RaceEntry& entry : result.entries)
    if (!entry.failed_check.empty()) remark(fmt::format("wrong data: {}: {}", label_of(result, entry), entry.failed_check));
  collective_ = result.problem.collective;
  if (form_.json) return sizes_.push_back(json_of(result));
  if (form_.ratios) return cells_.push_back(cell_of(result));

  std::string text;
  if (empty_)
    text += fmt::format("{} among {} ranks on {} ({:.3g} a core): {}\n", name(collective_), ranks_, transport_,
                        static_cast<double>(ranks_) / std::max(1, machine_.cores), to_string(machine_));
  empty_ = false;
  const Problem& problem = result.problem;
  text += '\n';
  if (problem.collective != Collective::barrier)
    text += fmt::format("{} a {}; ", block_text(problem), is_irregular(problem.collective) ? "share" : "block");
  if (const auto& operation = options_.operation)
    text += fmt::format("{} of {}{}; ", operation->name, operation->type, problem.reproducible ? ", reproducible" : "");
  if (is_rooted(problem.collective)) text += fmt::format("root {}; ", problem.root);
  text += fmt::format("{} rounds of {} run{}, seed {};\npredicted for a start-up of {} and {:.3g} ns a byte{} ({})\n\n",
                      result.rounds, result.runs_per_sample, result.runs_per_sample == 1 ? "" : "s", options_.seed,
                      seconds_text(result.model.startup_s), s_per_byte(result.model) * 1e9,
                      result.model.contention ? fmt::format(", contention {:.3g}", *result.model.contention) : "",
                      result.model.name == "fitted" ? "fitted to these ranks" : result.model.name);
  text += table_of(result) + '\n' + (form_.phases ? phases_of(result) + '\n' : "") + chart_of(result) + '\n' + winner_text(result);
  output_.stream() << text;
  if (!to_file_) output_.flush();
}

void Report::finish() {
  if (form_.ratios && !form_.json) return output_.finish(ratios_of(cells_, ranks_));
  if (!form_.json) return output_.finish();
  Json report{{"collective", name(collective_)},
              {"ranks", ranks_},
              {"transport", transport_},
              {"machine", to_json(machine_)},
              {"version", version},
              {"build_type", build_type},
              {"compiler", compiler},
              {"seed", options_.seed},
              {"rounds", options_.rounds},
              {"sizes", std::move(sizes_)}};
  if (const auto& operation = options_.operation) report.update({{"op", operation->name}, {"type", operation->type}});
  output_.finish(to_text(report));
}

}  // namespace quadrille::command

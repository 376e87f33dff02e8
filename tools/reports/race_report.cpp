// SPDX-License-Identifier: BSD-3-Clause
#include "reports/race_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/file_format.hpp"
#include "options/problem_options.hpp"
#include "reports/bound_report.hpp"
#include "reports/race_formats.hpp"
#include "reports/race_plot.hpp"
#include "reports/result_file.hpp"
#include "schedule/ordering.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"
#include "tune/race/bandwidth.hpp"

namespace quadrille::command {
namespace {

// Returns the name of an entry: "direct = combined" if both have the same steps here; "auto (direct)" if a plan chooses direct.
std::string label_of(const RaceResult& result, const RaceEntry& entry) {
  std::string label = short_name(result.problem, entry.candidate.algorithm);
  for (const Way& other : entry.same_as) label += " = " + short_name(result.problem, other.algorithm);
  return entry.is_auto ? fmt::format("auto ({})", label) : label;
}

std::string executor_text(const Way& candidate) { return candidate.is_vendor() ? "" : std::string(name(candidate.executor)); }

// Returns the policy: "dataflow", "dataflow/1" with one buffer instead of two; "in step" is added if nodes keep step.
std::string policy_text(const Way& candidate) {
  if (candidate.is_vendor()) return "";
  return fmt::format("{}{}{}", name(candidate.policy), candidate.policy == Policy::dataflow && candidate.buffers == 1 ? "/1" : "",
                     candidate.keep_step ? ", in step" : "");
}

// Returns the name with policy and executor, if these differ between candidates.
std::string full_label_of(const RaceResult& result, const RaceEntry& entry) {
  std::string label = label_of(result, entry);
  for (const auto text : {policy_text, executor_text}) {
    const bool varies = std::any_of(result.entries.begin(), result.entries.end(), [&](const RaceEntry& other) {
      return !other.candidate.is_vendor() && text(other.candidate) != text(result.entries.front().candidate);
    });
    if (varies && !entry.candidate.is_vendor()) label += ' ' + text(entry.candidate);
  }
  return label;
}

// Returns a median with its interval: "0.84 (0.82..0.86)".
std::string ratio_text(const Spread& ratio) {
  return fmt::format("{:.2f} ({:.2f}..{:.2f})", ratio.median, ratio.lower, ratio.upper);
}

std::string conclusion_text(const RaceResult& result) {
  if (!result.best) return "no candidate delivered the right data";
  const RaceEntry& best = result.entries[*result.best];
  const std::string name = full_label_of(result, best);
  std::string figures = fmt::format("{}, {}", name, seconds_text(best.seconds.median, best.clock_bound_s));
  if (best.ratio && !best.candidate.is_vendor()) figures += fmt::format(", {} times the vendor's time", ratio_text(*best.ratio));
  std::string others;  // candidates that may be as fast
  for (const RaceEntry& entry : result.entries)
    if (&entry != &best && entry.to_best && entry.to_best->lower <= 1)
      others += fmt::format("{} {} {}", others.empty() ? "" : ",", full_label_of(result, entry), ratio_text(*entry.to_best));
  switch (result.conclusion) {
    case Conclusion::wrong_data: break;
    case Conclusion::too_few_repetitions:
      return fmt::format("least: {}; at least 6 repetitions are needed to name the fastest (--repetitions 6)", figures);
    case Conclusion::noisy:
      return fmt::format("noisy, nothing to conclude; raise --time: {}; relative to {}:{}", figures, name, others);
    case Conclusion::tied: return fmt::format("tied: {}; relative to {}:{}", figures, name, others);
    case Conclusion::fastest: return fmt::format("fastest: {}", figures);
  }
  return {};
}

// Returns a warning if other programs used the machine; empty otherwise.
std::string load_text(const MachineLoad& load) {
  if (!load.disturbs()) return {};
  return fmt::format(
      "other programs used {:.1f} of {} cores while this was measured; times and ratios are better on an idle machine", load.others,
      load.cores);
}

// Returns the phases of a run as a table: the mean over the ranks of the time in each.
std::string phases_of(const RaceResult& result) {
  Table table("algorithm|policy|executor|>distribute|>communicate|>collect");
  for (const RaceEntry& entry : result.entries)
    if (!entry.candidate.is_vendor())
      table.add({label_of(result, entry), policy_text(entry.candidate), executor_text(entry.candidate),
                 seconds_text(entry.phases.distribute_s), seconds_text(entry.phases.communicate_s),
                 seconds_text(entry.phases.collect_s)});
  return table.text();
}

// Returns true if predictions are good enough to be printed.
bool shows_predictions(const RaceResult& result) { return result.prediction_error && *result.prediction_error <= 0.5; }

// Returns the predicted time: "12.3 µs"; "assumed 12.3 µs" if it is the MPI library's own collective.
std::string predicted_text(const RaceEntry& entry) {
  if (!entry.predicted_seconds) return "–";
  return (entry.assumed ? "assumed " : "") + seconds_text(*entry.predicted_seconds);
}

// Returns a bandwidth in GB/s (1e9 bytes), as nccl-tests prints it.
std::string bandwidth_text(const std::optional<double>& bytes_per_s) {
  return bytes_per_s ? fmt::format("{:.3g}", *bytes_per_s * 1e-9) : "–";
}

std::string table_of(const RaceResult& result, const ReportForm& form) {
  std::vector<Column> columns = headings("algorithm|policy|executor|>C1|>C2|>/ least|>median|>spread");
  if (shows_predictions(result)) columns.push_back({"predicted", Align::right});
  if (shows_predictions(result)) columns.push_back({"/ bound", Align::right});
  columns.push_back({"/ vendor's", Align::right});
  if (form.bandwidth)
    for (const char* heading : {"algbw GB/s", "busbw GB/s"}) columns.push_back({heading, Align::right});
  if (form.over_ranks)
    for (const char* heading : {"least rank", "mean", "most rank"}) columns.push_back({heading, Align::right});
  columns.push_back({"data"});
  Table table(columns);
  for (const RaceEntry& entry : result.entries) {
    std::vector<TableCell> row{
        label_of(result, entry),
        policy_text(entry.candidate),
        executor_text(entry.candidate),
        entry.figures ? fmt::format("{}", entry.figures->c1) : "–",
        entry.figures ? TableCell(Sizes{{entry.figures->c2}}) : "–",
        entry.figures ? over_bound_text(static_cast<double>(entry.figures->c2), least_c2_of(result.problem, entry.figures->ports))
                      : "–",
        seconds_text(entry.seconds.median, entry.clock_bound_s),
        fmt::format("{} .. {}", seconds_text(entry.seconds.least), seconds_text(entry.seconds.most))};
    if (shows_predictions(result)) row.push_back(predicted_text(entry));
    if (shows_predictions(result)) row.push_back(over_bound_text(entry.seconds.median, least_seconds_of(result, entry)));
    row.push_back(entry.ratio ? ratio_text(*entry.ratio) : "–");
    const Bandwidths bandwidths = bandwidths_of(result.problem, entry.seconds.median);
    if (form.bandwidth) row.insert(row.end(), {bandwidth_text(bandwidths.algorithm), bandwidth_text(bandwidths.bus)});
    const OverRanks& over = entry.over_ranks;
    if (form.over_ranks) row.insert(row.end(), {seconds_text(over.least), seconds_text(over.mean), seconds_text(over.most)});
    row.push_back(entry.failed_check.empty() ? "yes" : "WRONG");
    table.add(std::move(row));
  }
  return table.text();
}

// Says which model the predictions are from, or why none are shown.
std::string predictions_text(const RaceResult& result) {
  if (!result.prediction_error) return {};
  const std::string& preset = result.fits.front().preset;
  const std::string model =
      fmt::format("the model max-rate, {}", preset.empty() ? "fitted to these ranks" : "with the figures of " + preset);
  if (shows_predictions(result)) {
    std::string text = fmt::format("predicted by {}; half of the predictions are off by {:.0f} % or less\n", model,
                                   100 * *result.prediction_error);
    for (const RaceEntry& entry : result.entries)
      if (const auto& assumed = entry.assumed)
        text += fmt::format("by its built-in rules {} takes {} here; it is assumed to send the messages of our {}\n",
                            assumed->title, assumed->algorithm, short_name(result.problem, assumed->equivalent));
    return text;
  }
  return fmt::format("predictions are hidden, because half of them are off by {:.0f} % or more; they are by {}\n",
                     100 * *result.prediction_error, model);
}

RatioCell cell_of(const RaceResult& result) {
  const RaceEntry* best = nullptr;
  for (const RaceEntry& entry : result.entries)
    if (!entry.candidate.is_vendor() && entry.failed_check.empty() && (!best || entry.seconds.median < best->seconds.median))
      best = &entry;
  RatioCell cell{.size = block_text(result.problem)};
  if (!best) return cell;
  cell.candidate = label_of(result, *best);
  if (best->candidate.policy != Policy::blocking) cell.candidate += '/' + policy_text(best->candidate);
  cell.seconds = best->seconds.median;
  if (best->ratio) {
    cell.times_as_fast = 1 / best->ratio->median;
    if (best->ratio->lower <= 1 && 1 <= best->ratio->upper) cell.remark = best->ratio->is_wide() ? " noisy" : " tied";
  }
  return cell;
}

// Returns a line with one column per size: how many times as fast as the vendor's collective the best candidate is; without a
// vendor, the candidate's time.
std::string ratios_of(const std::vector<RatioCell>& cells, Count ranks) {
  std::vector<Column> columns = headings(">ranks");
  std::vector<TableCell> figures{std::to_string(ranks)}, candidates{""};
  double logarithms = 0;
  int compared = 0;
  for (const RatioCell& cell : cells) {
    columns.push_back({cell.size, Align::right});
    if (cell.times_as_fast) logarithms += std::log(*cell.times_as_fast), ++compared;
    figures.push_back(cell.candidate.empty() ? "WRONG"
                      : cell.times_as_fast   ? fmt::format("{:.2f}{}", *cell.times_as_fast, cell.remark)
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
  std::vector<Bar> bars;
  for (const RaceEntry& entry : result.entries)
    bars.push_back({full_label_of(result, entry), entry.seconds.least, entry.seconds.median, entry.seconds.most});
  return bar_chart(bars, terminal_width());
}

}  // namespace

RaceReport::RaceReport(const std::optional<std::string>& file, const ReportForm& form, std::string transport, Count ranks,
                       const RaceOptions& options)
    : output_(file),
      to_file_(file.has_value()),
      form_(form),
      transport_(std::move(transport)),
      ranks_(ranks),
      options_(options),
      machine_(this_machine()),
      start_unix_s_(unix_seconds_now()),
      sheet_(new_race_sheet()) {
  if (form_.plot) plot_.emplace(form_.plot);
}

void RaceReport::add(const RaceResult& result) {
  const std::lock_guard lock(mutex_);
  ++added_;
  for (const auto& [candidate, reason] : result.left_out)
    remark(fmt::format("left out: {}: {}", specification(candidate.algorithm), reason));
  for (const RaceEntry& entry : result.entries)
    if (!entry.failed_check.empty()) remark(fmt::format("wrong data: {}: {}", label_of(result, entry), entry.failed_check));
  collective_ = result.problem.collective;
  const auto& nodes = result.problem.nodes;
  nodes_ = nodes.empty() ? 1 : *std::max_element(nodes.begin(), nodes.end()) + 1;
  if (form_.json || plot_) sizes_.push_back(json_of(result));
  if (form_.csv) add_to(sheet_, result, options_, transport_);
  if (form_.json || form_.csv) return;
  const std::string load = load_text(result.load);
  if (form_.ratios) {
    if (!load.empty()) remark(load);
    if (result.confidence < wanted_confidence)
      remark(fmt::format("{} repetitions are too few to tell what is tied or noisy; take 6 at least (--repetitions)",
                         result.repetitions));
    return cells_.push_back(cell_of(result));
  }

  std::string text;
  if (empty_)
    text += fmt::format("{} among {} on {} ({:.3g} a core): {}\n", name(collective_), counted(ranks_, "rank"), transport_,
                        static_cast<double>(ranks_) / std::max(1, machine_.cores), to_string(machine_));
  empty_ = false;
  const Problem& problem = result.problem;
  text += '\n';
  if (moves_data(problem.collective))
    text += fmt::format("{} a {}; ", block_text(problem), is_irregular(problem.collective) ? "share" : "block");
  if (const auto& operation = options_.operation)
    text += fmt::format("{} of {}{}; ", operation->name, operation->type, problem.reproducible ? ", reproducible" : "");
  if (is_rooted(problem.collective)) text += fmt::format("root {}; ", problem.root);
  if (options_.cold) text += fmt::format("cold caches, {} pairs of buffers; ", result.buffer_pairs);
  text += fmt::format("{} of {}, seed {}; intervals of {:.0f} % confidence\n", counted(result.repetitions, "repetition"),
                      counted(result.runs_per_sample, "run"), options_.seed, 100 * result.confidence);
  text += predictions_text(result) + '\n';
  text += table_of(result, form_) + '\n' + (form_.phases ? phases_of(result) + '\n' : "") + chart_of(result) + '\n' +
          paragraph(conclusion_text(result)) + (load.empty() ? "" : load + '\n');
  output_.stream() << text;
  if (!to_file_) output_.flush();
}

Json RaceReport::json() const {
  Json report{{"collective", name(collective_)}, {"ranks", ranks_}, {"nodes", nodes_}, {"transport", transport_}};
  add_run_facts(report, machine_, start_unix_s_);
  report.update({{"build_type", build_type},
                 {"compiler", compiler},
                 {"seed", options_.seed},
                 {"repetitions", options_.repetitions},
                 {"warm_up", options_.warm_up},
                 {"memory", options_.shared_buffers ? "shared" : "private"},
                 {"cold", options_.cold},
                 {"sizes", sizes_}});
  if (!partial_.empty()) report["partial"] = partial_;
  if (const auto& operation = options_.operation) report.update({{"op", operation->name}, {"type", operation->type}});
  return report;
}

void RaceReport::finish() {
  const std::lock_guard lock(mutex_);
  is_finished_ = true;
  write();
}

bool RaceReport::finish_partly(int signal, std::size_t planned) {
  const std::lock_guard lock(mutex_);
  if (is_finished_) return false;
  is_finished_ = true;
  partial_ = fmt::format("stopped by signal {} after {} of {} sizes", signal, added_, planned);
  remark(partial_);
  if (added_ > 0) write();
  return true;
}

void RaceReport::write() {
  if (!partial_.empty())
    for (std::vector<Cell>& row : sheet_.rows) row.back() = std::string("true");
  const Json report = form_.json || plot_ ? json() : Json();
  const std::string partial_text = partial_.empty() ? "" : "partial: " + partial_ + '\n';
  if (form_.json)
    output_.finish(document_text("race", report));
  else if (form_.csv)
    output_.finish(csv_of(sheet_));
  else if (form_.ratios)
    output_.finish(ratios_of(cells_, ranks_) + partial_text);
  else
    output_.stream() << partial_text, output_.finish();
  if (plot_) plot_->finish(picture_for(form_.plot, race_plot({race_file_of(report, "this race")}, {.curves = form_.curves})));
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/audit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "foundation/text/wording.hpp"
#include "support/build.hpp"
#include "support/machine.hpp"
#include "support/talk.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// A comparison, with the audit that it belongs to.
struct Row {
  const AuditResult* result = nullptr;
  const Audited* comparison = nullptr;
};

std::vector<Row> rows_of(const std::vector<AuditResult>& results, Library library) {
  std::vector<Row> rows;
  for (const AuditResult& result : results)
    for (const Audited& comparison : result.comparisons)
      if (comparison.library == library) rows.push_back({&result, &comparison});
  return rows;
}

Count count_of(const std::vector<Row>& rows, Judgement judgement, double tolerance) {
  return std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.comparison->judgement(tolerance) == judgement; });
}

std::string size_text(const AuditResult& result) {
  return moves_data(result.collective) ? bytes_text(result.block_bytes) : std::string("–");
}

std::string violations_text(std::vector<Row> rows, double tolerance) {
  std::erase_if(rows, [&](const Row& row) { return row.comparison->judgement(tolerance) != Judgement::violated; });
  if (rows.empty()) return {};
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.comparison->ratio.median > b.comparison->ratio.median; });
  Table table({{"guideline violated"},
               {"size", Align::right},
               {"factor", Align::right},
               {"interval", Align::right},
               {"left", Align::right},
               {"right", Align::right},
               {"what ran"}});
  for (const auto& [result, comparison] : rows)
    table.add({name(*comparison->guideline), size_text(*result), fmt::format("{:.2f}", comparison->ratio.median),
               fmt::format("{:.2f} .. {:.2f}", comparison->ratio.lower, comparison->ratio.upper),
               seconds_text(comparison->left_s.median, comparison->clock_bound_s),
               seconds_text(comparison->right_s.median, comparison->clock_bound_s),
               comparison->library == Library::vendor
                   ? std::string()
                   : fmt::format("{} | {}", fmt::join(comparison->left, " + "), fmt::join(comparison->right, " + "))});
  return '\n' + table.text();
}

std::string summary_text(const std::vector<Row>& rows, Library library, double tolerance) {
  const auto count = [&](Judgement judgement) { return count_of(rows, judgement, tolerance); };
  std::string text = fmt::format("{}: of {} guidelines and sizes {} held, {} violated, {} open", name(library), rows.size(),
                                 count(Judgement::held), count(Judgement::violated), count(Judgement::open));
  if (const Count wrong = count(Judgement::wrong_data)) text += fmt::format(", {} with wrong data", wrong);
  return text + '\n';
}

Json json_of(const Spread& spread) {
  return {
      {"median", spread.median}, {"least", spread.least}, {"most", spread.most}, {"lower", spread.lower}, {"upper", spread.upper}};
}

Json json_of(const Row& row, double tolerance) {
  const auto& [result, comparison] = row;
  const Guideline& guideline = *comparison->guideline;
  Json object{{"guideline", name(guideline)},
              {"collective", name(guideline.left)},
              {"source", guideline.source.empty() ? Json(nullptr) : Json(guideline.source)},
              {"library", name(comparison->library)},
              {"block_bytes", result->block_bytes},
              {"verdict", name(comparison->judgement(tolerance))},
              {"ratio", json_of(comparison->ratio)},
              {"left_s", json_of(comparison->left_s)},
              {"right_s", json_of(comparison->right_s)},
              {"left", comparison->left},
              {"right", comparison->right},
              {"clock_bound_s", comparison->clock_bound_s},
              {"runs_per_sample", result->runs_per_sample}};
  if (!comparison->failed_check.empty()) object["failed_check"] = comparison->failed_check;
  return object;
}

}  // namespace

AuditReport::AuditReport(const std::optional<std::string>& file, bool json, double tolerance, std::string transport, Count ranks,
                         const AuditOptions& options)
    : output_(file), json_(json), tolerance_(tolerance), transport_(std::move(transport)), ranks_(ranks), options_(options) {}

void AuditReport::add(AuditResult result) {
  for (const Audited& comparison : result.comparisons)
    if (!comparison.failed_check.empty())
      remark(fmt::format("wrong data: {}, {}, {}: {}", name(*comparison.guideline), size_text(result), name(comparison.library),
                         comparison.failed_check));
  results_.push_back(std::move(result));
}

// Prints remarks that a reader needs to judge the figures, such as the load of other programs.
void AuditReport::make_remarks() const {
  std::map<std::string, Count> reasons;
  MachineLoad load;
  for (const AuditResult& result : results_) {
    for (const auto& [guideline, reason] : result.left_out) ++reasons[reason];
    if (result.load.disturbs() && result.load.others > load.others) load = result.load;
  }
  for (const auto& [reason, count] : reasons)
    remark(fmt::format("{} guideline{} left out: {}", count, count == 1 ? "" : "s", reason));
  if (load.disturbs())
    remark(fmt::format("other programs used up to {:.1f} of {} cores meanwhile; ratios are better on an idle machine", load.others,
                       load.cores));
}

std::string AuditReport::text() const {
  const Machine machine = this_machine();
  const double confidence = results_.empty() ? 0 : results_.front().confidence;
  std::string text =
      fmt::format("{} on {} ({:.3g} a core): {}\n", counted(ranks_, "rank"), transport_,
                  static_cast<double>(ranks_) / std::max(1, machine.cores), to_string(machine)) +
      fmt::format("{} repetitions, seed {}; intervals of {:.0f} % confidence; violated: all of the interval is above {:.2f}\n",
                  options_.repetitions, options_.seed, 100 * confidence, tolerance_);
  for (const Library library : options_.libraries) {
    const std::vector<Row> rows = rows_of(results_, library);
    text += '\n' + summary_text(rows, library, tolerance_) + violations_text(rows, tolerance_);
  }
  return text;
}

Json AuditReport::json() const {
  Json findings = Json::array(), left_out = Json::array(), summary = Json::object();
  for (const Library library : options_.libraries) {
    const std::vector<Row> rows = rows_of(results_, library);
    for (const Row& row : rows) findings.push_back(json_of(row, tolerance_));
    for (const Judgement judgement : {Judgement::held, Judgement::violated, Judgement::open, Judgement::wrong_data})
      summary[std::string(name(library))][std::string(name(judgement))] = count_of(rows, judgement, tolerance_);
  }
  for (const AuditResult& result : results_)
    for (const auto& [guideline, reason] : result.left_out)
      left_out.push_back({{"guideline", guideline}, {"block_bytes", result.block_bytes}, {"reason", reason}});
  Json report{{"ranks", ranks_},
              {"transport", transport_},
              {"machine", to_json(this_machine())},
              {"version", version},
              {"build_type", build_type},
              {"compiler", compiler},
              {"seed", options_.seed},
              {"repetitions", options_.repetitions},
              {"confidence", results_.empty() ? 0 : results_.front().confidence},
              {"tolerance", tolerance_},
              {"summary", std::move(summary)},
              {"findings", std::move(findings)},
              {"left_out", std::move(left_out)}};
  if (const auto& operation = options_.operation) report.update({{"op", operation->name}, {"type", operation->type}});
  return report;
}

void AuditReport::finish() {
  make_remarks();
  output_.finish(json_ ? to_text(json()) : text());
}

std::string guidelines_text() {
  Table table({{"left side"}, {""}, {"right side"}, {"source"}});
  for (const Guideline& guideline : all_guidelines()) {
    const std::string whole = name(guideline);
    const std::size_t between = whole.find(" <= ");
    table.add({whole.substr(0, between), "<=", whole.substr(between + 4),
               guideline.source.empty() ? std::string("–") : std::string(guideline.source)});
  }
  return table.text();
}

}  // namespace quadrille::command

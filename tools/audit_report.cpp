// SPDX-License-Identifier: BSD-3-Clause
#include "audit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "build.hpp"
#include "machine.hpp"
#include "talk.hpp"
#include "text.hpp"

namespace quadrille::command {
namespace {

// A finding with the audit that it is of.
struct Row {
  const AuditResult* result = nullptr;
  const Finding* finding = nullptr;
};

std::vector<Row> rows_of(const std::vector<AuditResult>& results, Library library) {
  std::vector<Row> rows;
  for (const AuditResult& result : results)
    for (const Finding& finding : result.findings)
      if (finding.library == library) rows.push_back({&result, &finding});
  return rows;
}

Count count_of(const std::vector<Row>& rows, Verdict verdict, double tolerance) {
  return std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.finding->verdict(tolerance) == verdict; });
}

std::string size_text(const AuditResult& result) {
  return moves_data(result.collective) ? bytes_text(result.block_bytes) : std::string("–");
}

std::string violations_text(std::vector<Row> rows, double tolerance) {
  std::erase_if(rows, [&](const Row& row) { return row.finding->verdict(tolerance) != Verdict::violated; });
  if (rows.empty()) return {};
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.finding->ratio.median > b.finding->ratio.median; });
  Table table({{"guideline violated"},
               {"size", Align::right},
               {"factor", Align::right},
               {"interval", Align::right},
               {"left", Align::right},
               {"right", Align::right},
               {"what ran"}});
  for (const auto& [result, finding] : rows)
    table.add({name(*finding->guideline), size_text(*result), fmt::format("{:.2f}", finding->ratio.median),
               fmt::format("{:.2f} .. {:.2f}", finding->ratio.lower, finding->ratio.upper),
               seconds_text(finding->left_s.median, finding->clock_bound_s),
               seconds_text(finding->right_s.median, finding->clock_bound_s),
               finding->library == Library::vendor
                   ? std::string()
                   : fmt::format("{} | {}", fmt::join(finding->left, " + "), fmt::join(finding->right, " + "))});
  return '\n' + table.text();
}

std::string summary_text(const std::vector<Row>& rows, Library library, double tolerance) {
  const auto count = [&](Verdict verdict) { return count_of(rows, verdict, tolerance); };
  std::string text = fmt::format("{}: of {} guidelines and sizes {} held, {} violated, {} open", name(library), rows.size(),
                                 count(Verdict::held), count(Verdict::violated), count(Verdict::open));
  if (const Count wrong = count(Verdict::wrong_data)) text += fmt::format(", {} with wrong data", wrong);
  return text + '\n';
}

Json json_of(const Spread& spread) {
  return {
      {"median", spread.median}, {"least", spread.least}, {"most", spread.most}, {"lower", spread.lower}, {"upper", spread.upper}};
}

Json json_of(const Row& row, double tolerance) {
  const auto& [result, finding] = row;
  const Guideline& guideline = *finding->guideline;
  Json object{{"guideline", name(guideline)},
              {"collective", name(guideline.left)},
              {"source", guideline.source.empty() ? Json(nullptr) : Json(guideline.source)},
              {"library", name(finding->library)},
              {"block_bytes", result->block_bytes},
              {"verdict", name(finding->verdict(tolerance))},
              {"ratio", json_of(finding->ratio)},
              {"left_s", json_of(finding->left_s)},
              {"right_s", json_of(finding->right_s)},
              {"left", finding->left},
              {"right", finding->right},
              {"clock_bound_s", finding->clock_bound_s},
              {"runs_per_sample", result->runs_per_sample}};
  if (!finding->failed_check.empty()) object["failed_check"] = finding->failed_check;
  return object;
}

}  // namespace

AuditReport::AuditReport(const std::optional<std::string>& file, bool json, double tolerance, std::string transport, Count ranks,
                         const AuditOptions& options)
    : output_(file), json_(json), tolerance_(tolerance), transport_(std::move(transport)), ranks_(ranks), options_(options) {}

void AuditReport::add(AuditResult result) {
  for (const Finding& finding : result.findings)
    if (!finding.failed_check.empty())
      remark(fmt::format("wrong data: {}, {}, {}: {}", name(*finding.guideline), size_text(result), name(finding.library),
                         finding.failed_check));
  results_.push_back(std::move(result));
}

// What the figures are to be read with.
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
      fmt::format("{} ranks on {} ({:.3g} a core): {}\n", ranks_, transport_,
                  static_cast<double>(ranks_) / std::max(1, machine.cores), to_string(machine)) +
      fmt::format("{} rounds, seed {}; intervals of {:.0f} % confidence; violated: all of the interval is above {:.2f}\n",
                  options_.rounds, options_.seed, 100 * confidence, tolerance_);
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
    for (const Verdict verdict : {Verdict::held, Verdict::violated, Verdict::open, Verdict::wrong_data})
      summary[std::string(name(library))][std::string(name(verdict))] = count_of(rows, verdict, tolerance_);
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
              {"rounds", options_.rounds},
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

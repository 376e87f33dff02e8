// SPDX-License-Identifier: BSD-3-Clause
// Runs quadrille audit: measures which performance guidelines the vendor's collectives violate, and which ours do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/version.hpp"
#include "subcommands/on_demand.hpp"
#include "support/launcher.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"
#include "support/text.hpp"
#include "tune/audit/audit.hpp"

namespace quadrille::command {
namespace {

// The report of an audit: the violations, worst first, and the number of guidelines that held; or one JSON object.
class AuditReport {
 public:
  AuditReport(const std::optional<std::string>& file, bool json, double tolerance, std::string transport, Count ranks,
              const AuditOptions& options);

  void add(AuditResult result);
  void finish();

 private:
  void make_remarks() const;
  std::string text() const;
  Json json() const;

  Output output_;
  bool json_;
  double tolerance_;
  std::string transport_;
  Count ranks_;
  AuditOptions options_;
  std::vector<AuditResult> results_;
};

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
  Table table("guideline violated|>size|>factor|>interval|>left|>right|what ran");
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

Json json_of(const Spread& spread) { return MEMBERS_OF(spread, median, least, most, lower, upper); }

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
  for (const auto& [reason, count] : reasons) remark(fmt::format("{} left out: {}", counted(count, "guideline"), reason));
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
              {"version", version()},
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
  output_.finish(json_ ? document_text("audit", json()) : text());
}

std::string guidelines_text() {
  Table table("left side||right side|source");
  for (const Guideline& guideline : all_guidelines()) {
    const std::string whole = name(guideline);
    const std::size_t between = whole.find(" <= ");
    table.add({whole.substr(0, between), "<=", whole.substr(between + 4),
               guideline.source.empty() ? std::string("–") : std::string(guideline.source)});
  }
  return table.text();
}

std::vector<Library> libraries_of(const AuditArguments& options, bool mpi) {
  const std::string side = options.side.value_or(mpi ? "both" : "ours");
  if (side != "vendor" && side != "ours" && side != "both") refuse_unknown("side", side, {"vendor", "ours", "both"});
  if (side != "ours" && !mpi)
    refuse("there is no vendor here: it is an MPI library's own collectives; start the audit under mpirun, or take --side ours");
  if (side == "both") return {Library::vendor, Library::ours};
  return {side == "vendor" ? Library::vendor : Library::ours};
}

// Returns what to audit: each collective at each size. A barrier has no size, so it is audited once.
std::vector<std::pair<Collective, Bytes>> audits_of(const AuditArguments& options) {
  std::vector<std::pair<Collective, Bytes>> audits;
  for (const Collective collective : options.collectives.empty() ? all_collectives() : options.collectives)
    for (const Bytes size : options.sizes)
      if (moves_data(collective) || size == options.sizes.front()) audits.emplace_back(collective, size);
  return audits;
}

// Returns the options of each audit, checked for all of them.
AuditOptions checked(const AuditArguments& options, Count ranks, bool mpi) {
  AuditOptions audited{.libraries = libraries_of(options, mpi),
                       .repetitions = options.repetitions,
                       .seconds = options.seconds,
                       .seed = options.seed,
                       .operation = built_in_operator(options.operation.value_or("sum"), options.type.value_or("f64"))};
  if (audited.repetitions < 6)
    refuse(fmt::format("{} repetitions give no interval of 95 % confidence; take 6 at least", audited.repetitions));
  for (const auto& [collective, size] : audits_of(options))
    for (const Guideline& guideline : all_guidelines()) {
      if (guideline.left != collective) continue;
      const Bytes element = audited.operation->element_bytes;
      if (is_reduction(collective) && size % element != 0)
        refuse(fmt::format("blocks of {} bytes do not hold whole elements of {} bytes ({} of {}); choose another --block or --type",
                           size, element, audited.operation->name, audited.operation->type));
      check_memory(left_side(guideline, ranks, size, audited.operation.get()));
    }
  return audited;
}

// Runs all audits on this rank. Returns the exit code, the same on every rank.
int run_all(Communicator& communicator, const AuditArguments& options, AuditOptions audited, AuditReport* report,
            RankGroup& ranks) {
  int code = good;
  ProgressLine progress;
  const auto audits = audits_of(options);
  for (std::size_t i = 0; i < audits.size(); ++i) {
    const auto [collective, size] = audits[i];
    audited.progress = [&, of = collective](int repetition, int repetitions) {
      ranks.beat();
      progress.show(fmt::format("{}: {} of {}, repetition {} of {}", name(of), i + 1, audits.size(), repetition + 1, repetitions));
    };
    if (report) ranks.beat();
    AuditResult result = audit(communicator, collective, size, audited);
    for (const Audited& comparison : result.comparisons) {
      const Judgement judgement = comparison.judgement(options.tolerance);
      const bool counts = options.strict && comparison.library == Library::ours && judgement == Judgement::violated;
      if (counts || judgement == Judgement::wrong_data) code = with_findings;
    }
    if (!report) continue;
    progress.clear();
    report->add(std::move(result));
  }
  if (report) report->finish();
  return code;
}

RankGroup ranks_of(const AuditArguments& options, bool are_launched, bool mpi) {
  if (!are_launched) {
    check_threads(options.ranks.value_or(standard_audit_threads));
    return RankGroup(options.ranks.value_or(standard_audit_threads));
  }
  if (options.ranks) refuse("the launcher sets the number of ranks; leave --ranks out");
  // Errors that can be found before MPI starts are thrown here, so that every process simply exits.
  if (const auto here = launched()) checked(options, here->ranks, mpi);
  return RankGroup(join_launched_ranks());
}

}  // namespace

int run_audit(const AuditArguments& options) {
  if (options.list) {
    Output(options.output).finish(guidelines_text());
    return good;
  }
  const bool are_launched = joins_launched_ranks(std::nullopt), mpi = are_launched && choose_transport().is_mpi();
  RankGroup ranks = ranks_of(options, are_launched, mpi);
  const AuditOptions audited = checked(options, ranks.size(), mpi);
  if (!ranks.first_can_write({options.output})) return misused;
  AuditReport report(ranks.has_first() ? options.output : std::nullopt, options.json, options.tolerance, ranks.transport(),
                     ranks.size(), audited);
  return ranks.run(options.timeout_seconds, [&](Communicator& communicator) {
    return run_all(communicator, options, audited, communicator.rank() == 0 ? &report : nullptr, ranks);
  });
}

}  // namespace quadrille::command

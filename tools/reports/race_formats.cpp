// SPDX-License-Identifier: BSD-3-Clause
#include "reports/race_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/cases.hpp"
#include "options/problem_options.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/explain.hpp"
#include "schedule/ordering.hpp"
#include "tune/race/bandwidth.hpp"

namespace quadrille::command {
namespace {

Json json_of(const Spread& spread, const char* suffix) {
  return {{fmt::format("median{}", suffix), spread.median},
          {fmt::format("least{}", suffix), spread.least},
          {fmt::format("most{}", suffix), spread.most},
          {fmt::format("lower{}", suffix), spread.lower},
          {fmt::format("upper{}", suffix), spread.upper}};
}

Json json_of(const RaceResult& result, const RaceEntry& entry) {
  const auto figure = [&](Count Figures::*value) { return entry.figures ? Json((*entry.figures).*value) : Json(nullptr); };
  const auto name_of = [](const Way& other) { return specification(other.algorithm); };
  const auto short_name_of = [&](const Way& other) { return short_name(result.problem, other.algorithm); };
  Json object{{"algorithm", specification(entry.candidate.algorithm)},
              {"short_name", short_name(result.problem, entry.candidate.algorithm)},
              {"same_as", array_of(entry.same_as, name_of)},
              {"same_as_short_names", array_of(entry.same_as, short_name_of)},
              {"is_auto", entry.is_auto},
              {"policy", name(entry.candidate.policy)},
              {"buffers", entry.candidate.buffers},
              {"executor", name(entry.candidate.executor)},
              {"keep_step", entry.candidate.keep_step},
              {"c1", figure(&Figures::c1)},
              {"c2", figure(&Figures::c2)},
              {"staging_bytes", entry.staging_bytes}};
  object.update(json_of(entry.seconds, "_s"));
  object["clock_bound_s"] = entry.clock_bound_s;
  object.update({{"samples_s", entry.samples_s},
                 {"least_over_ranks_s", entry.over_ranks.least},
                 {"mean_over_ranks_s", entry.over_ranks.mean},
                 {"most_over_ranks_s", entry.over_ranks.most}});
  const Bandwidths bandwidths = bandwidths_of(result.problem, entry.seconds.median);
  object["algorithm_bandwidth_bytes_per_s"] = bandwidths.algorithm;
  object["bus_bandwidth_bytes_per_s"] = bandwidths.bus;
  object.update(MEMBERS_OF(entry.phases, distribute_s, communicate_s, collect_s));
  object["predicted_s"] = entry.predicted_seconds;
  object["bound_s"] = least_seconds_of(result, entry);
  object["least_c2"] = entry.figures ? Json(least_c2_of(result.problem, entry.figures->ports)) : Json();
  object["assumed"] = Json();
  if (const auto& assumed = entry.assumed)
    object["assumed"] = {
        {"library", assumed->title}, {"algorithm", assumed->algorithm}, {"equivalent", specification(assumed->equivalent)}};
  object["ratio"] = entry.ratio ? json_of(*entry.ratio, "") : Json(nullptr);
  object["to_best"] = entry.to_best ? json_of(*entry.to_best, "") : Json(nullptr);
  object["checked"] = entry.failed_check.empty();
  if (!entry.failed_check.empty()) object["failed_check"] = entry.failed_check;
  return object;
}

Json json_of(const ExecutorFit& fit) {
  return {{"executor", name(fit.executor)},
          {"model", "max-rate"},
          {"coefficients", fit.coefficients},
          {"error", fit.error},
          {"preset", fit.preset.empty() ? Json(nullptr) : Json(fit.preset)}};
}

Cell cell_of(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

void add_spread(std::vector<Cell>& row, const std::optional<Spread>& spread) {
  for (const auto figure : {&Spread::median, &Spread::least, &Spread::most, &Spread::lower, &Spread::upper})
    row.push_back(spread ? Cell((*spread).*figure) : Cell());
}

Count largest_block(const Problem& problem) {
  if (!is_irregular(problem.collective)) return problem.block_bytes;
  const std::vector<Bytes> counts = all_counts(problem);
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

}  // namespace

std::optional<double> least_c2_of(const Problem& problem, Count ports) {
  for (const Bound& bound : lower_bounds(problem, ports))
    if (bound.figure == "c2" && bound.value > 0) return static_cast<double>(bound.value);
  return std::nullopt;
}

std::optional<double> least_seconds_of(const RaceResult& result, const RaceEntry& entry) {
  if (entry.candidate.is_vendor()) return std::nullopt;
  for (const ExecutorFit& fit : result.fits)
    if (fit.executor == entry.candidate.executor) return least_seconds(result.problem, fit);
  return std::nullopt;
}

Json json_of(const RaceResult& result) {
  Json object{{"block_bytes", result.problem.block_bytes},
              {"fits", array_of(result.fits, [](const ExecutorFit& fit) { return json_of(fit); })}};
  object.update(MEMBERS_OF(result, repetitions, runs_per_sample, buffer_pairs, confidence));
  object["conclusion"] = name(result.conclusion);
  object.update(MEMBERS_OF(result, best, prediction_error));
  object["load"] = {{"others", result.load.others}, {"cores", result.load.cores}, {"disturbs", result.load.disturbs()}};
  object["entries"] = array_of(result.entries, [&](const RaceEntry& entry) { return json_of(result, entry); });
  object["left_out"] = array_of(result.left_out, [](const auto& each) {
    const auto& [candidate, reason] = each;
    return Json{{"algorithm", specification(candidate.algorithm)}, {"reason", reason}};
  });
  if (is_rooted(result.problem.collective)) object["root"] = result.problem.root;
  if (is_irregular(result.problem.collective)) object["counts"] = all_counts(result.problem);
  if (is_reduction(result.problem.collective)) object["reproducible"] = result.problem.reproducible;
  return object;
}

Sheet new_race_sheet() {
  Sheet sheet{.name = "race",
              .columns = {"collective", "ranks",   "nodes",       "transport",       "block_bytes", "op",      "type",
                          "root",       "memory",  "cold",        "algorithm",       "policy",      "buffers", "executor",
                          "keep_step",  "checked", "repetitions", "runs_per_sample", "confidence",  "c1",      "c2"},
              .rows = {}};
  for (const std::string of : {"", "ratio_", "to_best_"})
    for (const std::string figure : {"median", "least", "most", "lower", "upper"})
      sheet.columns.push_back(of + figure + (of.empty() ? "_s" : ""));
  for (const char* name : {"clock_bound_s", "least_over_ranks_s", "mean_over_ranks_s", "most_over_ranks_s",
                           "algorithm_bandwidth_bytes_per_s", "bus_bandwidth_bytes_per_s", "distribute_s", "communicate_s",
                           "collect_s", "predicted_s", "assumed", "staging_bytes", "partial"})
    sheet.columns.push_back(name);
  return sheet;
}

void add_to(Sheet& sheet, const RaceResult& result, const RaceOptions& options, const std::string& transport) {
  const Problem& problem = result.problem;
  const auto nodes = problem.nodes.empty() ? Count{1} : *std::max_element(problem.nodes.begin(), problem.nodes.end()) + 1;
  const auto text = [](auto name) { return Cell(std::string(name)); };
  const auto truth = [](bool value) { return Cell(std::string(value ? "true" : "false")); };
  for (const RaceEntry& entry : result.entries) {
    std::vector<Cell> row{text(name(problem.collective)),
                          problem.ranks,
                          nodes,
                          transport,
                          largest_block(problem),
                          options.operation ? Cell(options.operation->name) : Cell(),
                          options.operation ? text(options.operation->type) : Cell(),
                          is_rooted(problem.collective) ? Cell(problem.root) : Cell(),
                          text(options.shared_buffers ? "shared" : "private"),
                          truth(options.cold),
                          specification(entry.candidate.algorithm),
                          text(name(entry.candidate.policy)),
                          Count{entry.candidate.buffers},
                          text(name(entry.candidate.executor)),
                          truth(entry.candidate.keep_step),
                          truth(entry.failed_check.empty()),
                          Count{result.repetitions},
                          result.runs_per_sample,
                          result.confidence,
                          entry.figures ? Cell(entry.figures->c1) : Cell(),
                          entry.figures ? Cell(entry.figures->c2) : Cell()};
    add_spread(row, entry.seconds);
    add_spread(row, entry.ratio);
    add_spread(row, entry.to_best);
    const Bandwidths bandwidths = bandwidths_of(problem, entry.seconds.median);
    row.insert(row.end(), {entry.clock_bound_s, entry.over_ranks.least, entry.over_ranks.mean, entry.over_ranks.most});
    row.insert(row.end(), {cell_of(bandwidths.algorithm), cell_of(bandwidths.bus)});
    row.insert(row.end(), {entry.phases.distribute_s, entry.phases.communicate_s, entry.phases.collect_s});
    row.push_back(cell_of(entry.predicted_seconds));
    row.push_back(entry.assumed ? Cell(specification(entry.assumed->equivalent)) : Cell());
    row.push_back(entry.staging_bytes);
    row.push_back(truth(false));
    sheet.rows.push_back(std::move(row));
  }
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
#include "reports/race_csv.hpp"

#include <algorithm>

#include "options/problem_options.hpp"
#include "schedule/ordering.hpp"
#include "tune/race/bandwidth.hpp"

namespace quadrille::command {
namespace {

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

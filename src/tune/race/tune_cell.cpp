// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/tune_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "execute/agreement.hpp"
#include "plan/placed.hpp"
#include "plan/way.hpp"
#include "quadrille/race.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "tune/race/disturbances.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille {
namespace {

// Limit on the ways of one algorithm by one executor. Their predictions differ little and share the same error, so more of these
// ways would add little information.
constexpr int most_alike = 3;

// A way is hopeless if it takes this many times the least predicted time or, when the race warms up, the fastest time.
constexpr double hopeless = 10;

constexpr std::size_t date_length = std::string_view("2026-11-22").size();

// The algorithm of the table that the way runs; null if the way does not run an algorithm of the table.
const Algorithm* algorithm_of(const Way& way) {
  const auto* choice = std::get_if<Choice>(&way.algorithm);
  return choice ? choice->algorithm : nullptr;
}

// Adds the cheapest way of each algorithm, because prediction errors differ between algorithms. Leaves out hopeless ways.
template <class ChooseWay>
void add_best_of_each_algorithm(const std::vector<Considered>& by_price, const ChooseWay& choose) {
  std::set<const Algorithm*> seen;
  double least = 0;
  for (const Considered& each : by_price) {
    if (!each.predicted_s || each.way.is_vendor()) continue;
    if (least == 0) least = *each.predicted_s;
    if (*each.predicted_s <= hopeless * least && seen.insert(algorithm_of(each.way)).second) choose(each.way);
  }
}

bool is_considered(const Decision& decision, const Way& way) {
  return std::any_of(decision.considered.begin(), decision.considered.end(),
                     [&](const Considered& each) { return each.way == way && each.predicted_s; });
}

// An eliminated way, with its ratio to the best way of its last round. The best way of a round is never eliminated by that round.
struct Leaver {
  Way way;
  Way best;
  Spread ratio;
};

WisdomEntry scaled(const Leaver& leaver, double best_seconds) {
  return {leaver.way, {leaver.ratio.median * best_seconds, leaver.ratio.lower * best_seconds, leaver.ratio.upper * best_seconds}};
}

// Returns the candidates that continue after a round. Adds the eliminated ones to `leavers`.
std::vector<Way> stayers(const RaceResult& round, double clearly_slower, std::vector<Leaver>& leavers) {
  std::vector<Way> staying;
  const Way& best = round.entries[*round.best].candidate;
  for (const RaceEntry& entry : round.entries) {
    if (!entry.to_best) continue;  // its data was wrong
    if (entry.to_best->lower > clearly_slower)
      leavers.push_back({entry.candidate, best, *entry.to_best});
    else
      staying.push_back(entry.candidate);
  }
  return staying;
}

// Returns the number of repetitions that fit into `seconds`. Later rounds have fewer ways, and use the time for more repetitions.
// The number of runs per batch stays the same: successive runs of a rooted collective overlap, so longer batches would favour
// ways that wait less.
int repetitions_within(double seconds, int least, const RaceResult& round, const std::vector<Way>& staying) {
  constexpr double most_repetitions = 31;
  double repetition_s = 0;
  for (const RaceEntry& entry : round.entries)
    if (std::find(staying.begin(), staying.end(), entry.candidate) != staying.end())
      repetition_s += entry.seconds.median * static_cast<double>(round.runs_per_sample) * static_cast<double>(batches_per_sample);
  return std::max(least, static_cast<int>(std::min(most_repetitions, seconds / std::max(repetition_s, 1e-9))));
}

// Returns all ways, sorted by time. The ways of the last round have their times from that round. The time of a way that was
// eliminated earlier is the time of the best way of its last round, multiplied by the ratio of the two ways in that round. That
// best way may itself be eliminated later. So leavers are handled from the last to the first, and the best way already has a
// time.
std::vector<WisdomEntry> ranking(const RaceResult& last, const std::vector<Leaver>& leavers) {
  std::vector<WisdomEntry> entries;
  for (const RaceEntry& entry : last.entries)
    if (entry.failed_check.empty())
      entries.push_back({entry.candidate, {entry.seconds.median, entry.seconds.lower, entry.seconds.upper}});
  const auto find = [&](const Way& way) {
    return std::find_if(entries.begin(), entries.end(), [&](const WisdomEntry& entry) { return entry.way == way; });
  };
  for (auto leaver = leavers.rbegin(); leaver != leavers.rend(); ++leaver)
    if (const auto best = find(leaver->best); best != entries.end() && find(leaver->way) == entries.end())
      entries.push_back(scaled(*leaver, best->timing.median_s));
  std::stable_sort(entries.begin(), entries.end(),
                   [](const WisdomEntry& a, const WisdomEntry& b) { return a.timing.median_s < b.timing.median_s; });
  return entries;
}

}  // namespace

Problem with_alike_counts(const Problem& problem, const Situation& situation) {
  constexpr Count most_listed_ranks = 512;  // the counts are a matrix
  const Count p = problem.ranks, blocks = std::max<Count>(1, p / situation.sparsity);
  Problem alike;
  if (p > most_listed_ranks || (situation.skew == 1 && situation.sparsity == 1 && situation.irregularity == 1)) {
    alike = make_traffic(p, {.kind = TrafficKind::equal, .typical = situation.block_bytes});
  } else {
    const double mean_row = static_cast<double>(situation.block_bytes) * static_cast<double>(p);
    const double heavy = std::min(static_cast<double>(situation.skew), static_cast<double>(p)),
                 others = p == 1 ? 1 : (static_cast<double>(p) - heavy) / static_cast<double>(p - 1);
    std::vector<TrafficEntry> entries;
    for (Rank from = 0; from < p; ++from) {
      const double row = mean_row * (from == 0 ? heavy : others);
      const double longest = std::min(1.0, static_cast<double>(situation.irregularity) / static_cast<double>(blocks)) * row;
      const double short_block = blocks == 1 ? 0 : (row - longest) / static_cast<double>(blocks - 1);
      for (Count i = 1; i <= blocks; ++i) entries.push_back({from, (from + i) % p, std::llround(i == 1 ? longest : short_block)});
    }
    alike = Problem::alltoallv(p, std::move(entries));
  }
  alike.nodes = problem.nodes, alike.grid = problem.grid;
  return alike;
}

std::vector<Way> promising_ways(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options,
                                const std::vector<Way>& known_good, std::size_t how_many) {
  std::vector<Way> chosen;
  const auto choose = [&](const Way& way) {
    if (std::find(chosen.begin(), chosen.end(), way) == chosen.end()) chosen.push_back(way);
  };
  Wisdom prices = wisdom;
  prices.records.clear();  // records would only rank the ways that were measured
  const Decision decision = decide(problem, prices, options);
  const bool takes_all = how_many > decision.considered.size();
  std::map<std::pair<const Algorithm*, Executor>, int> alike;
  for (const Considered& each : decision.considered) {
    if (chosen.size() >= how_many) break;
    if (!each.predicted_s) continue;  // too large to be priced, so too large to race
    if (++alike[{algorithm_of(each.way), each.way.executor}] <= most_alike || takes_all) choose(each.way);
  }
  add_best_of_each_algorithm(decision.considered, choose);
  for (const Algorithm* algorithm : algorithms_for(problem.collective)) {
    const Way standard{.algorithm = parse_choice(problem, algorithm->id), .executor = options.executors.front()};
    if (is_considered(decision, standard)) choose(standard);
  }
  for (const Way& known : known_good)
    if (const auto way = way_for(problem, known)) choose(*way);
  for (const Executor executor : options.executors) choose({.algorithm = parse_candidate(problem, ""), .executor = executor});
  if (options.with_vendor) choose({.algorithm = Vendor{}, .executor = Executor::mpi});
  return chosen;
}

WisdomRecord tune_cell(Communicator& communicator, const Problem& problem, const std::vector<Way>& ways,
                       const CellRaceOptions& options) {
  const Problem here = placed(communicator, problem);
  std::vector<Way> running = ways;
  const int least_repetitions = std::accumulate(options.elimination_rounds.begin(), options.elimination_rounds.end(), 0);
  std::vector<Leaver> leavers;
  RaceResult result;
  int done = 0;
  const LoadMeter load;  // over all elimination rounds, because one round may be too short to measure the load
  for (std::size_t round = 0; round < options.elimination_rounds.size() && (round == 0 || running.size() > 1); ++round) {
    RaceOptions race_options{.repetitions = options.elimination_rounds[round],
                             .seconds_per_problem = options.seconds * options.elimination_rounds[round] / least_repetitions,
                             .hopeless = round == 0 ? hopeless : 0,
                             .seed = round + 1,
                             .operation = options.operation,
                             .fits = {},
                             .progress = [&](int repetition, int repetitions) {
                               if (options.progress) options.progress(repetition, repetitions, running.size());
                             }};
    if (round > 0) {
      race_options.iterations = result.runs_per_sample;
      race_options.repetitions = repetitions_within(race_options.seconds_per_problem, race_options.repetitions, result, running);
    }
    result = race(communicator, here, running, race_options);
    done += race_options.repetitions;
    for (const RaceEntry& entry : result.entries)
      if (options.wrong && !entry.failed_check.empty() && communicator.rank() == 0)
        options.wrong(fmt::format("{}: {}", to_string(entry.candidate), entry.failed_check));
    if (!result.best) throw Error(ErrorCode::misuse, "none of the ways to be measured applies and gives right data");
    running = stayers(result, options.clearly_slower, leavers);
  }
  const std::string moment = told_by(communicator, 0, today() + time_of_day());
  const MachineLoad meanwhile = load.read(communicator);
  const double others = meanwhile.disturbs() ? meanwhile.others : 0;
  WisdomRecord record{.situation = options.situation.value_or(situation_of(here))};
  record.races.push_back({moment.substr(0, date_length), moment.substr(date_length), done, others, ranking(result, leavers)});
  return pooled(std::move(record));
}

}  // namespace quadrille

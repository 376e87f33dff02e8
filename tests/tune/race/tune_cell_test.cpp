// SPDX-License-Identifier: BSD-3-Clause
// Which ways are worth racing, and what a race of them brings into wisdom.
#include "tune/race/tune_cell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/model.hpp"
#include "quadrille/traffic.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Wisdom with prices for one node.
Wisdom with_fit(Count ranks) {
  ExecutorFit fit{.executor = Executor::shared, .ranks = ranks, .nodes = 1, .ranks_of_node = ranks, .date = "2026-11-23"};
  for (const Coefficient& coefficient : find_model("max-rate")->coefficients)
    fit.coefficients[std::string(coefficient.key)] = coefficient.standard.value_or(0);
  fit.coefficients["inside_startup_us"] = 1;
  fit.coefficients["inside_us_per_byte"] = 1e-3;
  Wisdom wisdom;
  wisdom.add(fit);
  return wisdom;
}

Problem on_one_node(Problem problem) {
  problem.nodes.assign(static_cast<std::size_t>(problem.ranks), 0);
  return problem;
}

std::string_view id_of(const Way& way) { return std::get<Choice>(way.algorithm).algorithm->id; }

bool has(const std::vector<Way>& ways, const Way& way) { return std::find(ways.begin(), ways.end(), way) != ways.end(); }

Way standard(const Problem& problem, const std::string& algorithm) {
  return {.algorithm = parse_candidate(problem, algorithm), .executor = Executor::shared};
}

TEST(PromisingWays, AreDistinctAndFewOfEachAlgorithm) {
  const Problem problem = on_one_node(Problem::alltoall(16, 64));
  const std::vector<Way> ways = promising_ways(problem, with_fit(16), {.executors = {Executor::shared}});
  std::map<std::string_view, int> alike;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    EXPECT_FALSE(has({ways.begin() + static_cast<std::ptrdiff_t>(i) + 1, ways.end()}, ways[i])) << to_string(ways[i]);
    ++alike[id_of(ways[i])];
  }
  EXPECT_GE(alike.size(), 3u);
  for (const auto& [id, count] : alike) EXPECT_LE(count, 3 + 1) << id << ": three by price and the default parameters";
}

// However few are asked for, the default algorithm takes part, and so do the vendor's and what was good elsewhere, if they apply.
TEST(PromisingWays, IncludeWhatMustNotBeMissing) {
  const Problem problem = on_one_node(Problem::alltoall(6, 64));
  const DecisionOptions options{.executors = {Executor::shared}, .with_vendor = true};
  const auto elsewhere = [](std::string_view text) {
    return Way{parse_candidate(Collective::alltoall, text), Policy::dataflow, 1, Executor::shared};
  };
  const Way good = elsewhere("bruck:radix=5"), too_large = elsewhere("bruck:radix=7"), needs_a_power_of_two = elsewhere("xor");
  const std::vector<Way> ways = promising_ways(problem, {}, options, {good, too_large, needs_a_power_of_two}, 0);
  EXPECT_TRUE(has(ways, standard(problem, "")));
  Way good_here = good;
  good_here.algorithm = parse_candidate(problem, "bruck:radix=5");
  EXPECT_TRUE(has(ways, good_here)) << "with the other parameters";
  EXPECT_EQ(std::count_if(ways.begin(), ways.end(), [](const Way& way) { return way.policy == Policy::dataflow; }), 1)
      << "a radix is at most p, and xor needs a power of two";
  EXPECT_TRUE(std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.is_vendor(); }));
  const std::vector<Way> ours = promising_ways(problem, {}, {.executors = {Executor::shared}}, {}, 0);
  EXPECT_TRUE(std::none_of(ours.begin(), ours.end(), [](const Way& way) { return way.is_vendor(); }));
}

TEST(TuneCell, RecordsTheWaysFromTheFastestOn) {
  run_threads(2, [](Communicator& communicator) {
    const Problem problem = Problem::alltoall(2, 64);
    const std::vector<Way> ways{standard(problem, "shift"), standard(problem, "direct"), standard(problem, "bruck")};
    int calls = 0;
    std::size_t most = 0;
    const auto count = [&](int, int, std::size_t running) { ++calls, most = std::max(most, running); };
    const WisdomRecord record =
        tune_cell(communicator, problem, ways, {.elimination_rounds = {2, 2}, .seconds = 0.01, .progress = count});
    EXPECT_EQ(record.situation, situation_of(on_one_node(problem)));
    ASSERT_FALSE(record.entries.empty());
    EXPECT_LE(record.entries.size(), ways.size());
    EXPECT_TRUE(std::is_sorted(record.entries.begin(), record.entries.end(),
                               [](const WisdomEntry& a, const WisdomEntry& b) { return a.timing.median_s < b.timing.median_s; }));
    for (const WisdomEntry& entry : record.entries) EXPECT_TRUE(has(ways, entry.way)) << to_string(entry.way);
    ASSERT_EQ(record.races.size(), 1u);
    EXPECT_EQ(record.races[0].date, today());
    EXPECT_GE(record.races[0].repetitions, 2);
    EXPECT_EQ(calls > 0, communicator.rank() == 0) << "progress is rank 0's";
    EXPECT_EQ(most, communicator.rank() == 0 ? ways.size() : 0);
    Wisdom wisdom;
    EXPECT_NO_THROW(wisdom.add(record));
  });
}

// One way needs no second round.
TEST(TuneCell, EndsWhenOneWayIsLeft) {
  run_threads(2, [](Communicator& communicator) {
    const Problem problem = Problem::alltoall(2, 64);
    const WisdomRecord record =
        tune_cell(communicator, problem, {standard(problem, "shift")}, {.elimination_rounds = {2, 30, 30}, .seconds = 0.01});
    EXPECT_EQ(record.races.at(0).repetitions, 2);
    EXPECT_EQ(record.entries.size(), 1u);
  });
}

TEST(TuneCell, TakesTheSituationThatItIsGiven) {
  run_threads(2, [](Communicator& communicator) {
    const Problem problem = Problem::alltoall(2, 64);
    Situation other = situation_of(on_one_node(problem));
    other.block_bytes = 65;
    const WisdomRecord record = tune_cell(communicator, problem, {standard(problem, "shift")},
                                          {.elimination_rounds = {1}, .seconds = 0.001, .situation = other});
    EXPECT_EQ(record.situation, other);
  });
}

TEST(TuneCell, RefusesIfNoWayApplies) {
  run_threads(2, [](Communicator& communicator) {
    const Problem problem = Problem::alltoall(2, 64);
    const Way hybrid{.algorithm = parse_candidate(problem, "shift"), .executor = Executor::hybrid};  // threads are on one node
    EXPECT_THROW(tune_cell(communicator, problem, {hybrid}, {.elimination_rounds = {1}, .seconds = 0.001}), Error);
  });
}

TEST(AlikeCounts, KeepThePlaces) {
  Problem problem = Problem::alltoallv(4, std::vector<TrafficEntry>{{0, 1, 100}});
  problem.nodes = {0, 0, 1, 1};
  problem.grid = {2, 2};
  const Problem even = with_alike_counts(problem, {.collective = Collective::alltoallv, .ranks = 4, .block_bytes = 7});
  EXPECT_EQ(even.nodes, problem.nodes);
  EXPECT_EQ(even.grid, problem.grid);
  for (Rank rank = 0; rank < 4; ++rank) EXPECT_EQ(input_bytes(even, rank), 4 * 7);
}

// The figures of the counts are those of the situation.
TEST(AlikeCounts, AreAsIrregularAsTheSituation) {
  for (const Count sparsity : {1, 4})
    for (const Count irregularity : {1, 2, 4})
      for (const Count skew : {1, 2}) {
        const Situation asked{.collective = Collective::alltoallv,
                              .ranks = 32,
                              .ranks_of_node = 32,
                              .block_bytes = 1024,
                              .skew = skew,
                              .sparsity = sparsity,
                              .irregularity = irregularity};
        const Situation made = situation_of(with_alike_counts(Problem::alltoallv(32, std::vector<TrafficEntry>{}), asked));
        EXPECT_EQ(made.sparsity, sparsity);
        EXPECT_EQ(made.skew, skew);
        EXPECT_NEAR(static_cast<double>(made.block_bytes), 1024, 2);
        EXPECT_EQ(made.irregularity, irregularity * skew) << "rank 0 sends more than the others in each block";
      }
}

}  // namespace
}  // namespace quadrille

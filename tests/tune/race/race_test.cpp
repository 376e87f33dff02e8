// SPDX-License-Identifier: BSD-3-Clause
// Races: the check of the data must be able to fail, and the result must be complete.
#include "quadrille/race.hpp"
#include "quadrille/groups.hpp"

#include <gtest/gtest.h>

#include "quadrille/cost.hpp"
#include "quadrille/fit.hpp"
#include "support/simulated_time.hpp"
#include "tune/race/probe_data.hpp"
#include "tune/race/race.hpp"

namespace quadrille {
namespace {

TEST(Labels, AreInjectiveOverAllPasses) {
  const Problem problem = Problem::alltoall(5, 70);
  std::vector<std::vector<int>> seen;
  for (Rank rank = 0; rank < 5; ++rank) {
    const Labels labels(problem, rank);
    std::vector<std::vector<int>> bytes(350);
    for (int pass = 0; pass < labels.pass_count(); ++pass) {
      std::vector<std::byte> input(350);
      labels.fill_input(pass, input.data());
      for (std::size_t i = 0; i < input.size(); ++i) bytes[i].push_back(static_cast<int>(input[i]));
    }
    seen.insert(seen.end(), bytes.begin(), bytes.end());
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Labels, FindEverySingleWrongByte) {
  const Problem problem = Problem::alltoall(3, 5);
  const Labels labels(problem, 1);
  std::vector<std::byte> output(15);
  labels.spoil_output(0, output.data());
  EXPECT_NE(labels.compare_output(0, output.data()), "");
  for (std::byte& byte : output) byte = ~byte;  // spoiled data is the complement of right data
  EXPECT_EQ(labels.compare_output(0, output.data()), "");
  for (std::byte& byte : output) {
    byte ^= std::byte{1};
    EXPECT_NE(labels.compare_output(0, output.data()), "");
    byte ^= std::byte{1};
  }
}

// The problem on the group's nodes, as the race uses it.
Problem on_nodes_of(Communicator& communicator, Problem problem) {
  problem.nodes = communicator.nodes();
  return problem;
}

TEST(Race, TimesAndChecksEveryCandidate) {
  const testing::SimulatedTime time(1);
  run_threads(3, [](Communicator& communicator) {
    const Problem problem = Problem::alltoall(3, 100);
    const Candidate exclusive_or = parse_candidate(problem, "xor");
    const RaceResult result = race(communicator, problem,
                                   {{parse_candidate(problem, "direct")},
                                    {exclusive_or},
                                    {parse_candidate(problem, "bruck:radix=3"), Policy::dataflow},
                                    {Vendor{}}},
                                   {.repetitions = 3, .seconds_per_problem = 0.02, .seed = 5, .progress = {}});
    ASSERT_EQ(result.entries.size(), 2u);
    ASSERT_EQ(result.left_out.size(), 2u);
    EXPECT_EQ(result.left_out[0].first.algorithm, exclusive_or);
    EXPECT_TRUE(result.left_out[1].first.is_vendor());
    for (const RaceEntry& entry : result.entries) {
      EXPECT_EQ(entry.failed_check, "");
      EXPECT_GT(entry.seconds.least, 0);
      EXPECT_LE(entry.seconds.least, entry.seconds.median);
      EXPECT_LE(entry.seconds.median, entry.seconds.most);
      EXPECT_FALSE(entry.ratio);
      EXPECT_EQ(entry.figures->traffic_out, 200);
      EXPECT_FALSE(entry.predicted_seconds);
      EXPECT_GT(entry.phases.communicate_s, 0);
    }
    EXPECT_GE(result.runs_per_sample, 1);
  });
}

TEST(Race, KeepsTheSamplesOfItsTimes) {
  run_threads(3, [](Communicator& communicator) {
    const Problem problem = Problem::alltoall(3, 100);
    const RaceResult result =
        race(communicator, problem, {{parse_candidate(problem, "direct")}, {parse_candidate(problem, "bruck")}},
             {.repetitions = 3, .iterations = 4, .warm_up = 2, .progress = {}});
    EXPECT_EQ(result.runs_per_sample, 4);
    EXPECT_EQ(result.buffer_pairs, 1);
    for (const RaceEntry& entry : result.entries) {
      ASSERT_EQ(entry.samples_s.size(), 3u);
      std::vector<double> repetitions;
      for (std::vector<double> batches : entry.samples_s) {
        ASSERT_EQ(batches.size(), 5u);
        std::sort(batches.begin(), batches.end());
        repetitions.push_back(batches[2]);
      }
      std::sort(repetitions.begin(), repetitions.end());
      EXPECT_EQ(entry.seconds.median, repetitions[1]);
      EXPECT_EQ(entry.seconds.least, repetitions[0]);
      EXPECT_GT(entry.over_ranks.least, 0);
      EXPECT_LE(entry.over_ranks.least, entry.over_ranks.mean);
      EXPECT_LE(entry.over_ranks.mean, entry.over_ranks.most);
    }
  });
}

TEST(Race, ChecksDataInAlternatingBuffers) {
  for (const bool shared : {false, true})
    run_threads(2, [shared](Communicator& communicator) {
      const Problem problem = Problem::alltoall(2, Bytes{1} << 20);
      const RaceResult result = race(communicator, problem, {{parse_candidate(problem, "direct")}},
                                     {.repetitions = 1, .iterations = 2, .shared_buffers = shared, .cold = true, .progress = {}});
      EXPECT_GT(result.buffer_pairs, 1);
      EXPECT_EQ(result.entries.at(0).failed_check, "");
    });
}

TEST(Race, RunsEqualCandidatesOnce) {
  const testing::SimulatedTime time(1);
  run_threads(4, [](Communicator& communicator) {
    const Problem problem = on_nodes_of(communicator, Problem::alltoall(4, 100));
    const Candidate direct = parse_candidate(problem, "direct"), combined = parse_candidate(problem, "combined");
    const RaceResult result = race(
        communicator, problem, {{direct}, {combined}, {parse_candidate(problem, "bruck")}, {direct}, {combined, Policy::dataflow}},
        {.repetitions = 1, .seconds_per_problem = 0.02, .progress = {}});
    ASSERT_EQ(result.entries.size(), 3u) << "direct and combined are the same if all ranks are on one node";
    EXPECT_EQ(result.entries[0].same_as.size(), 1u) << "a candidate that was given twice is listed once";
    EXPECT_EQ(result.entries[0].same_as.at(0).algorithm, combined);
    EXPECT_TRUE(result.entries[1].same_as.empty());
    EXPECT_EQ(result.entries[2].candidate.policy, Policy::dataflow) << "a candidate under another policy runs by itself";
  });
}

TEST(Race, ReportsTheLoadOfTheMachine) {
  run_threads(2, [](Communicator& communicator) {
    const MachineLoad load = race(communicator, Problem::alltoall(2, 8), {{parse_candidate(Problem::alltoall(2, 8), "direct")}},
                                  {.repetitions = 1, .seconds_per_problem = 0.02, .progress = {}})
                                 .load;
    EXPECT_EQ(load.ranks, 2);
    EXPECT_GE(load.cores, 1);
    EXPECT_GE(load.others, 0);
  });
  EXPECT_TRUE((MachineLoad{.others = 0.5, .cores = 2, .ranks = 2}.disturbs()));
  EXPECT_FALSE((MachineLoad{.others = 0.5, .cores = 4, .ranks = 2}.disturbs()));
  EXPECT_FALSE((MachineLoad{.others = 0.05, .cores = 2, .ranks = 2}.disturbs()));
}

TEST(Race, PredictsByTheFitOfTheExecutor) {
  const testing::SimulatedTime time(1);
  run_threads(2, [](Communicator& communicator) {
    MachineCosts machine{.name = "m", .description = {}, .source = {}};
    for (const Coefficient& coefficient : find_model("max-rate")->coefficients)
      machine.models["max-rate"][std::string(coefficient.key)] = 0;
    machine.models["max-rate"]["inside_startup_us"] = 3;
    const Way shift{parse_candidate(Problem::alltoall(2, 10), "shift")};
    for (const Executor executor : {Executor::mpi, Executor::shared}) {
      const RaceResult result =
          race(communicator, Problem::alltoall(2, 10), {shift},
               {.repetitions = 1, .seconds_per_problem = 0.01, .fits = {preset_fit(machine, executor, {}, 0)}, .progress = {}});
      const RaceEntry& entry = result.entries.at(0);
      EXPECT_EQ(entry.predicted_seconds.has_value(), entry.candidate.executor == executor);
      if (entry.predicted_seconds) EXPECT_DOUBLE_EQ(*entry.predicted_seconds, 3e-6);
    }
    EXPECT_FALSE(
        race(communicator, Problem::alltoall(2, 10), {shift}, {.repetitions = 1, .seconds_per_problem = 0.01, .progress = {}})
            .prediction_error);
  });
}

TEST(Race, PredictsWhatTheLibraryIsAssumedToDo) {
  MachineCosts machine{.name = "m", .description = {}, .source = {}};
  for (const Coefficient& coefficient : find_model("max-rate")->coefficients)
    machine.models["max-rate"][std::string(coefficient.key)] = 0;
  machine.models["max-rate"]["inside_startup_us"] = 3;
  const std::vector<ExecutorFit> by_mpi{preset_fit(machine, Executor::mpi, {}, 0)},
      shared{preset_fit(machine, Executor::shared, {}, 0)};
  const auto entry_of = [](const Problem& problem, std::string_view mpi, const std::vector<ExecutorFit>& fits) {
    RaceEntry entry{.candidate = {.algorithm = Vendor{}}};
    predict_vendor(entry, problem, mpi, fits);
    EXPECT_EQ(entry.assumed.has_value(), entry.predicted_seconds.has_value());
    return entry;
  };
  const Problem problem = Problem::alltoall(16, 4);
  const RaceEntry known = entry_of(problem, "Open MPI 4.1.4", by_mpi);
  ASSERT_TRUE(known.assumed);
  EXPECT_EQ(known.assumed->title, "Open MPI 4.1");
  EXPECT_EQ(known.assumed->algorithm, "modified_bruck");
  EXPECT_EQ(known.assumed->equivalent, parse_choice(problem, "bruck:radix=2"));
  EXPECT_DOUBLE_EQ(*known.predicted_seconds, 4 * 3e-6) << "four rounds";
  EXPECT_FALSE(entry_of(problem, "Open MPI 4.1.4", shared).assumed) << "no figures of MPI messages";
  EXPECT_FALSE(entry_of(problem, "none", by_mpi).assumed);
  EXPECT_FALSE(entry_of(problem, "Open MPI 3.0.1", by_mpi).assumed) << "its rules are not known";
}

TEST(Alltoallv, IsPlannedFromRows) {
  run_threads(3, [](Communicator& communicator) {
    const auto me = static_cast<Bytes>(communicator.rank());
    const Problem problem = alltoallv_of_rows(communicator, {me, 2 * me, 3});
    EXPECT_EQ(*problem.counts, (std::vector<Bytes>{0, 0, 3, 1, 2, 3, 2, 4, 3}));
    Plan exchange = plan(communicator, problem, {.algorithm = "four-stage:counts=known"});
    std::vector<char> input(static_cast<std::size_t>(3 * me + 3), static_cast<char>('a' + me)), output(9, '?');
    exchange.execute(input.data(), output.data());
    const std::string expected[] = {"bcc", "bbcccc", "aaabbbccc"};
    EXPECT_EQ(std::string(output.data(), expected[me].size()), expected[me]);
    EXPECT_THROW(alltoallv_of_rows(communicator, me == 1 ? std::vector<Bytes>{1} : std::vector<Bytes>{1, 1, 1}), Error);
    EXPECT_THROW(alltoallv_of_rows(communicator, {me == 1 ? -5 : 1, 1, 1}), Error);
  });
}

TEST(Race, RefusesBlocksLargerThanMemory) {
  run_threads(2, [](Communicator& communicator) {
    EXPECT_THROW(race(communicator, Problem::alltoall(2, Bytes{1} << 50), {{parse_candidate(Problem::alltoall(2, 8), "direct")}}),
                 Error);
  });
}

TEST(Race, RefusesToMeasureNothing) {
  run_threads(2, [](Communicator& communicator) {
    const Problem problem = Problem::alltoall(2, 8);
    const std::vector<Way> direct{{parse_candidate(problem, "direct")}};
    EXPECT_THROW(race(communicator, problem, direct, {.repetitions = 0}), Error);
    EXPECT_THROW(race(communicator, problem, direct, {.iterations = 0}), Error);
  });
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Simulated times of traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "quadrille/simulate.hpp"
#include "support/cases.hpp"
#include "support/random_schedule.hpp"
#include "support/trace_order.hpp"

namespace quadrille {
namespace {

const Coefficients loggp_of_traces{
    {"latency_us", 5}, {"overhead_us", 1.5}, {"gap_us", 4}, {"gap_us_per_byte", 0.0123456789}, {"ports", 1}};

MessageTimes times_of_traces() { return message_times(*find_model("loggp"), loggp_of_traces); }

// Calls visit(schedule, place) for the algorithms of the table with their defaults, and for random schedules.
template <class Visit>
void for_each_simulated(Visit&& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 2, 5, 8})
      for (const Problem& problem : testing::problems_of(*algorithm, p, 24, 1)) {
        const Choice choice = testing::standard_choice(*algorithm, problem);
        if (applies(problem, choice))
          visit(make_schedule(problem, choice), testing::description(problem) + ' ' + std::string(algorithm->id));
      }
  for (int seed = 1; seed <= testing::extent(10, 50, 200); ++seed)
    visit(testing::random_schedule(
              {.ranks = 2 + seed % 7, .rounds = 1 + seed % 9, .most_messages = 1 + seed % 4, .with_controls = seed % 3 == 0},
              static_cast<std::uint64_t>(seed)),
          "seed " + std::to_string(seed));
}

TEST(SimulatedTrace, ByRoundsGivesEachMessageTheTimeOfItsRound) {
  for_each_simulated([](const Schedule& schedule, const std::string& place) {
    const Trace trace = trace_of(schedule);
    const Simulation simulation = simulate_rounds(schedule, *find_model("linear"),
                                                  Coefficients{{"startup_us", 7}, {"transfer_us_per_byte", 0.5}, {"ports", 1}});
    const TracedTime time = time_by_rounds(trace, simulation);
    EXPECT_EQ(time.end, simulation.end) << place;
    std::map<Count, TimeInterval> rounds;
    for (const SimulatedStage& stage : simulation.stages)
      for (const SimulatedRound& round : stage.rounds) rounds[round.number] = {round.begin, round.end};
    for (std::size_t i = 0; i < trace.messages.size(); ++i) {
      const bool counts = !trace.messages[i].is_control || schedule.problem.collective == Collective::barrier;
      if (counts) EXPECT_EQ(time.sends[i], rounds.at(trace.messages[i].round)) << place;
      EXPECT_EQ(time.sends[i], time.receives[i]) << place;
    }
  });
}

TEST(SimulatedTrace, ByEventsHasAllMessagesInAnOrderThatDependencesAllow) {
  for_each_simulated([](const Schedule& schedule, const std::string& place) {
    const Trace trace = trace_of(schedule);
    for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
      const TracedTime time = time_by_events(trace, schedule, times_of_traces(), {.policy = policy});
      EXPECT_EQ(testing::first_disorder(trace, time, schedule), "") << place;
      EXPECT_EQ(time.end, simulate_events(schedule, times_of_traces(), {.policy = policy}).end) << place;
      EXPECT_EQ(time.end, *std::max_element(time.rank_ends.begin(), time.rank_ends.end())) << place;
    }
  });
}

TEST(SimulatedTrace, RanksWaitWhenTheyHaveNoMessageUnderWay) {
  for_each_simulated([](const Schedule& schedule, const std::string& place) {
    const Trace trace = trace_of(schedule);
    const TracedTime time =
        time_by_events(trace, schedule, times_of_traces(), {.late_ranks = 1, .late_by = 3'000'000, .jitter = 0.3});
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
      // Whether the rank is busy or waits, from its first event to its last: exactly one of the two at any time.
      std::map<Picoseconds, int> busy, waiting;  // changes of the number of messages under way, and of waits
      for (std::size_t i = 0; i < trace.messages.size(); ++i) {
        if (trace.messages[i].from == rank) ++busy[time.sends[i].begin], --busy[time.sends[i].end];
        if (trace.messages[i].to == rank) ++busy[time.receives[i].begin], --busy[time.receives[i].end];
      }
      for (const TracedActivity& wait : time.waits)
        if (wait.rank == rank) {
          EXPECT_LT(wait.time.begin, wait.time.end) << place;
          ++waiting[wait.time.begin], --waiting[wait.time.end];
          ++busy[wait.time.begin], --busy[wait.time.end];
        }
      int depth = 0;
      for (auto change = busy.begin(); change != busy.end(); ++change) {
        depth += change->second;
        EXPECT_EQ(depth == 0, std::next(change) == busy.end()) << place << ", rank " << rank << " at " << change->first;
      }
    }
  });
}

TEST(SimulatedTrace, LinksCarryOneMessageAtATime) {
  const Topology torus = parse_topology("torus:4x4");
  Problem problem = Problem::alltoall(16, 100);
  problem.grid = {4, 4};
  for (const char* algorithm : {"direct", "torus", "bruck"})
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
      const Schedule schedule = make_schedule(problem, algorithm);
      const Trace trace = trace_of(schedule, &torus);
      const TracedTime time =
          time_by_events(trace, schedule, times_of_traces(), {.topology = &torus, .switching = switching, .channels = 2});
      ASSERT_EQ(time.links.size(), trace.network->ways.size());
      std::map<Count, std::vector<TimeInterval>> uses;  // by link
      std::size_t hop = 0;
      for (std::size_t i = 0; i < trace.messages.size(); ++i)
        for (Count k = 0; k < trace.network->hops[i]; ++k, ++hop) {
          const TimeInterval use = time.links[hop];
          EXPECT_GE(use.begin, time.sends[i].begin);
          EXPECT_LE(use.end, time.receives[i].end);
          EXPECT_LT(use.begin, use.end);
          if (k > 0) EXPECT_GE(use.begin, time.links[hop - 1].begin);
          uses[trace.network->ways[hop]].push_back(use);
        }
      if (switching == Switching::wormhole) continue;  // two messages may hold the two channels of a link
      for (auto& [link, list] : uses) {
        std::sort(list.begin(), list.end(), [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; });
        for (std::size_t i = 1; i < list.size(); ++i) EXPECT_LE(list[i - 1].end, list[i].begin) << algorithm << ", link " << link;
      }
    }
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Delays between entries and exits, compared with simulations in which ranks start at any times.
#include "quadrille/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

const Coefficients one_port_linear{{"startup_us", 7}, {"transfer_us_per_byte", 0.0123456789}, {"ports", 1}};

MessageTimes one_port() { return message_times(*find_model("linear"), one_port_linear); }

// Compares the exits after entries at random times with a simulation in which ranks start at these times.
void expect_the_simulation(const Schedule& schedule, const ExitDelays& delays, const std::string& place) {
  std::mt19937_64 random(7);
  std::vector<Picoseconds> begins(index(schedule.problem.ranks));
  for (Picoseconds& begin : begins) begin = std::uniform_int_distribution<Picoseconds>(0, 200'000'000)(random);
  const EventSimulation simulation = simulate_events(schedule, one_port(), {.rank_begins = begins});
  std::vector<double> entries, exits(begins.size());
  for (const Picoseconds begin : begins) entries.push_back(seconds_of(begin));
  delays.exits(entries, exits);
  for (std::size_t rank = 0; rank < exits.size(); ++rank)
    EXPECT_NEAR(exits[rank], seconds_of(simulation.rank_ends[rank]), 1e-11) << place << ", rank " << rank;
}

TEST(ExitDelays, GiveTheExitsOfTheSimulation) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 2, 5, 8}) {
      for (const Problem& problem : testing::problems_of(*algorithm, p, 24, 1)) {
        const Choice choice = testing::standard_choice(*algorithm, problem);
        if (!applies(problem, choice)) continue;
        const Schedule schedule = make_schedule(problem, choice);
        const ExitDelays delays = exit_delays(schedule, one_port());
        expect_the_simulation(schedule, delays, testing::description(problem) + ' ' + std::string(algorithm->id));
        EXPECT_NEAR(delays.together(), seconds_of(simulate_events(schedule, one_port()).end), 1e-15);
      }
    }
}

TEST(ExitDelays, AreAbsentWhereNobodyWaits) {
  const Schedule schedule = make_schedule(testing::problem_of(Collective::broadcast, 3, 8), "linear");  // root 0
  const ExitDelays delays = exit_delays(schedule, one_port());
  EXPECT_FALSE(delays.delay(0, 1));
  EXPECT_FALSE(delays.delay(1, 2));
  EXPECT_LT(*delays.delay(2, 2), *delays.delay(2, 0));  // its message is there already
  EXPECT_GT(*delays.delay(2, 0), *delays.delay(1, 0));
  EXPECT_NEAR(*delays.scaled(3).delay(2, 0), 3 * *delays.delay(2, 0), 1e-15);
  EXPECT_FALSE(delays.scaled(3).delay(1, 2));
}

// The symmetry of the ring lets one simulation stand for all; so does a shift where few ranks are simulated.
TEST(ExitDelays, AreTheSameForFewerSimulations) {
  Schedule schedule = make_schedule(testing::problem_of(Collective::allgather, 9, 64), "ring");
  const ExitDelays all = exit_delays(schedule, one_port());
  for (const bool keeps_symmetry : {true, false}) {
    if (!keeps_symmetry) schedule.symmetry.reset();
    for (const Count most : {1, 2, 9}) {
      const ExitDelays few = exit_delays(schedule, one_port(), {.most_simulations = most});
      for (Rank i = 0; i < 9; ++i)
        for (Rank j = 0; j < 9; ++j) EXPECT_EQ(few.delay(i, j), all.delay(i, j)) << most << ' ' << i << ' ' << j;
    }
  }
}

TEST(SimulateEvents, RefusesBeginsThatDoNotFit) {
  const Schedule schedule = make_schedule(testing::problem_of(Collective::allgather, 4, 8), "ring");
  const auto simulate = [&](std::vector<Picoseconds> begins) {
    simulate_events(schedule, one_port(), {.rank_begins = std::move(begins)});
  };
  EXPECT_THROW(simulate({1, 2, 3}), Error);
  EXPECT_THROW(simulate({0, 0, 0, -1}), Error);
  EXPECT_NO_THROW(simulate({0, 0, 0, 1}));
}

}  // namespace
}  // namespace quadrille

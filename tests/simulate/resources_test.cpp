// SPDX-License-Identifier: BSD-3-Clause
// The simulator of the flat machine: compared with the formulas (1) to (4) of [liu2002], with results by hand, and with the
// simulation by rounds.
#include "simulate/event_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/cases.hpp"
#include "support/random_schedule.hpp"

namespace quadrille {
namespace {

constexpr double us = 1e-6;

// T_s, and t_m, t_c and t_d, in microseconds; halves of them are whole numbers of picoseconds.
struct Flat {
  double startup = 0, compose = 0, copy = 0, wire = 0;
  bool overlap = true;

  Coefficients coefficients() const {
    return {{"startup_us", startup},
            {"compose_us_per_byte", compose},
            {"copy_us_per_byte", copy},
            {"wire_us_per_byte", wire},
            {"overlap", overlap ? 1 : 0}};
  }
  // What one message takes from its composition to its end.
  double message(double bytes) const { return startup + bytes * (compose + copy + wire); }
};

// In each machine another resource takes longest.
const std::vector<Flat> machines{{40, 0.01, 0.03, 0.05}, {40, 0, 0, 0.04},     {1, 0.02, 0.1, 0.03},
                                 {100, 0.1, 0.01, 0.02}, {0, 0.5, 0.02, 0.02}, {10, 0, 0.2, 0.2}};

double simulated_us(const Schedule& schedule, const Flat& flat, Policy policy = Policy::blocking) {
  return seconds_of(simulate_events(schedule, message_times(*find_model("flat"), flat.coefficients()), {.policy = policy}).end) /
         us;
}

// (1): P (T_s + m (t_c + t_m + t_d)); (2): P m t_m + P max(T_s, m t_c, m t_d). Here P - 1 messages leave a rank, since none goes to
// the rank itself.
TEST(SimulateResources, TakesTheTimesOfTheFormulasForEqualMessages) {
  for (const Flat& flat : machines)
    for (const Count p : {2, 5, 16})
      for (const Bytes m : {1, 100, 1000, 20'000}) {
        const Schedule shift = make_schedule(Problem::alltoall(p, m), "shift");
        const auto messages = static_cast<double>(p - 1), bytes = static_cast<double>(m);
        EXPECT_NEAR(simulated_us(shift, flat), messages * flat.message(bytes), 1e-9);
        const double longest = std::max({flat.startup, bytes * flat.copy, bytes * flat.wire});
        const double formula = messages * bytes * flat.compose + messages * longest,
                     others = flat.startup + bytes * (flat.copy + flat.wire) - longest;
        for (const Policy policy : {Policy::nonblocking, Policy::dataflow}) {
          EXPECT_GE(simulated_us(shift, flat, policy), formula - 1e-9) << p << ' ' << m;
          EXPECT_LE(simulated_us(shift, flat, policy), formula + others + 1e-9) << p << ' ' << m;
        }
        Flat serial = flat;
        serial.overlap = false;
        EXPECT_NEAR(simulated_us(shift, serial, Policy::nonblocking), messages * flat.message(bytes), 1e-9);
      }
}

Problem transpose(Count p, Bytes most) { return make_traffic(p, {.kind = TrafficKind::transpose, .most = most, .small = 1}); }

double number(Count count) { return static_cast<double>(count); }

// (3) and (4) with contention factors of 1, the terms of one message of each stage added to (4).
struct Formulas {
  double blocking = 0, nonblocking = 0, others = 0;

  Formulas(const Schedule& schedule, const Flat& flat) {
    for (const StageFigures& stage : stage_figures(schedule)) {
      if (stage.startups == 0) continue;
      Bytes longest = 0;
      for (const RoundFigures& round : stage.rounds) longest = std::max(longest, round.longest);
      const double load = number(stage.load), messages = number(stage.messages);
      blocking += messages * flat.startup + load * (flat.compose + flat.copy + flat.wire);
      nonblocking += load * flat.compose + std::max({messages * flat.startup, load * flat.copy, load * flat.wire});
      others += flat.message(number(longest));
    }
  }
};

// In the balanced exchanges A2 and A4 of a transposition no two messages meet, so the factors of (3) and (4) are 1.
TEST(SimulateResources, TakesTheTimesOfTheFormulasWithoutContention) {
  for (const Flat& flat : machines)
    for (const Count p : {16, 64})
      for (const char* algorithm :
           {"two-phase:grain=1,counts=known", "four-stage:columns=paper,split=paper,grain=1,counts=known"}) {
        const Schedule schedule = make_schedule(transpose(p, 64 * p), algorithm);
        const Formulas formulas(schedule, flat);
        EXPECT_NEAR(simulated_us(schedule, flat) / formulas.blocking, 1, 0.02) << p << algorithm;
        EXPECT_GE(simulated_us(schedule, flat, Policy::nonblocking), 0.98 * formulas.nonblocking) << p << algorithm;
        EXPECT_LE(simulated_us(schedule, flat, Policy::nonblocking), formulas.nonblocking + formulas.others) << p << algorithm;
      }
}

// In A1 long messages meet at the ports, so the factor of (3), and that of (4), is above 1, the first one more. No rank waits for
// longer than if all ranks kept step.
TEST(SimulateResources, NeedsAContentionFactorWhereMessagesMeet) {
  for (const Flat& flat : machines)
    for (const Count p : {16, 64}) {
      const Schedule shift = make_schedule(transpose(p, 4096 * p), "shift");
      const Formulas formulas(shift, flat);
      const double wire = number(stage_figures(shift).at(0).load) * flat.wire;
      const double blocking = (simulated_us(shift, flat) - formulas.blocking) / wire + 1;
      EXPECT_GT(blocking, 2);
      EXPECT_LE(simulated_us(shift, flat),
                seconds_of(simulate_rounds(shift, *find_model("flat"), flat.coefficients()).end) / us + 1e-9);
      const double nonblocking = simulated_us(shift, flat, Policy::nonblocking) / formulas.nonblocking;
      EXPECT_GE(nonblocking, 1);
      EXPECT_LT(simulated_us(shift, flat, Policy::nonblocking), simulated_us(shift, flat));
    }
}

// Figure 3 of [liu2002]: messages of ranks 0 and 1 meet at rank 2. The second one waits for the input port, so its sender's next
// message, to rank 3, is late.
TEST(SimulateResources, DelaysTheNextMessageOfASenderWhoseMessageWaits) {
  const Problem problem = Problem::alltoallv(4, {{0, 2, 300}, {0, 3, 10}, {1, 2, 100}, {1, 3, 10}});
  Schedule schedule = make_schedule(problem, "shift");
  const auto message = [](Rank peer, Bytes bytes) { return Message{peer, {{Buffer::input, 0, bytes, {}}}, {}}; };
  const auto into = [](Rank peer, Bytes at, Bytes bytes) { return Message{peer, {{Buffer::output, at, bytes, {}}}, {}}; };
  schedule.symmetry.reset();
  schedule.program = [&](Rank rank) {
    Program program{.rank = rank, .stages = {{"one", 0, 2}}};
    program.rounds.resize(2);
    program.rounds[1].number = 1;
    const Bytes first = rank == 0 ? 300 : 100;
    if (rank < 2) program.rounds[0].sends = {message(2, first)}, program.rounds[1].sends = {message(3, 10)};
    if (rank == 2) program.rounds[0].receives = {into(0, 0, 300), into(1, 300, 100)};
    if (rank == 3) program.rounds[1].receives = {into(0, 0, 10), into(1, 10, 10)};
    return program;
  };
  std::map<std::pair<Rank, Count>, MessageEnd> sent;
  simulate_events(schedule, message_times(*find_model("flat"), Flat{.startup = 4, .wire = 1}.coefficients()),
                  {.message_end = [&](const MessageEnd& end) {
                    if (end.sends) sent[{end.rank, end.round}] = end;
                  }});
  const auto at = [](double time) { return whole_units(time * 1e6); };
  EXPECT_EQ((sent[{0, 0}].end), at(2 + 300));
  EXPECT_EQ((sent[{1, 0}].end), at(2 + 300 + 100)) << "it waits until the input port is free";
  EXPECT_EQ((sent[{0, 1}].end), at(302 + 2 + 10));
  EXPECT_EQ((sent[{1, 1}].begin), at(402)) << "postponed";
}

// Calls visit(schedule, place) for the algorithms of the table with their defaults, and for random schedules.
template <class Visit>
void for_each_schedule(Visit&& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 2, 5, 8, 12})
      for (Problem problem : testing::problems_of(*algorithm, p, 24, 1)) {
        if (problem.nodes.empty())
          for (Rank rank = 0; rank < p; ++rank) problem.nodes.push_back(rank / 4);
        const Choice choice = testing::standard_choice(*algorithm, problem);
        if (!applies(problem, choice)) continue;
        visit(make_schedule(problem, choice), testing::description(problem) + ' ' + std::string(algorithm->id));
      }
  for (int seed = 1; seed <= 100; ++seed) {
    const testing::RandomShape shape{
        .ranks = 2 + seed % 7, .rounds = 1 + seed % 9, .most_messages = 1 + seed % 4, .with_controls = seed % 3 == 0};
    visit(testing::random_schedule(shape, static_cast<std::uint64_t>(seed)), "seed " + std::to_string(seed));
  }
}

// With a barrier after each round, and at most one message of a rank each way, a round takes a start-up and its longest message.
TEST(SimulateResources, InStepEqualsTheSimulationByRounds) {
  Count compared = 0;
  const Flat flat{.startup = 7, .compose = 0.02, .copy = 0.03, .wire = 0.25};
  for_each_schedule([&](const Schedule& schedule, const std::string& place) {
    if (workload(schedule).ports > 1) return;
    EXPECT_EQ(simulate_events(schedule, message_times(*find_model("flat"), flat.coefficients()), {.barriers = true}).end,
              simulate_rounds(schedule, *find_model("flat"), flat.coefficients()).end)
        << place;
    ++compared;
  });
  EXPECT_GT(compared, 100);
}

// Whatever the policy, no resource does two things at a time, and some resource is busy until the end.
TEST(SimulateResources, LiesBetweenTheBusiestResourceAndAllWork) {
  const Flat flat{.startup = 6, .compose = 0.02, .copy = 0.04, .wire = 0.25};
  for_each_schedule([&](const Schedule& schedule, const std::string& place) {
    double most = 0, sum = 0;
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
      double sent = 0, received = 0, out = 0, in = 0;
      for (const Round& round : schedule.program(rank).rounds) {
        for (const Message& message : round.sends) ++sent, out += number(bytes(message.regions));
        for (const Message& message : round.receives) ++received, in += number(bytes(message.regions));
        for (const Control& control : round.control_sends) ++sent, out += number(control.bytes);
        for (const Control& control : round.control_receives) ++received, in += number(control.bytes);
      }
      most = std::max({most, (sent + received) * 3 + out * 0.02, (out + in) * 0.02, out * 0.25, in * 0.25});
      sum += sent * 6 + out * 0.31;
    }
    for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
      EXPECT_GE(simulated_us(schedule, flat, policy), most - 1e-6) << place;
      EXPECT_LE(simulated_us(schedule, flat, policy), sum + 1e-6) << place;
    }
  });
}

TEST(SimulateResources, DrawsDisturbancesFromTheSeed) {
  const Schedule schedule = make_schedule(Problem::alltoall(16, 1000), "bruck");
  const MessageTimes times = message_times(*find_model("flat"), machines[0].coefficients());
  const Picoseconds calm = simulate_events(schedule, times).end;
  const EventSimulation late = simulate_events(schedule, times, {.seed = 5, .late_ranks = 3, .late_by = 50'000'000});
  EXPECT_GT(late.end, calm);
  EXPECT_GE(*std::min_element(late.rank_ends.begin(), late.rank_ends.end()), calm);
  const Picoseconds jittered = simulate_events(schedule, times, {.seed = 5, .jitter = 0.3}).end;
  EXPECT_GT(jittered, calm);
  EXPECT_EQ(simulate_events(schedule, times, {.seed = 5, .jitter = 0.3}).end, jittered);
}

TEST(SimulateResources, RefusesNetworks) {
  const Topology ring = Topology::ring(4);
  const Schedule schedule = make_schedule(Problem::alltoall(4, 8), "shift");
  EXPECT_THROW(simulate_events(schedule, message_times(*find_model("flat"), machines[0].coefficients()), {.topology = &ring}),
               Error);
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "quadrille/bound.hpp"
#include "quadrille/error.hpp"
#include "quadrille/simulate.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

const MachineCosts invented{
    .name = "invented",
    .models = {
        {"linear",
         {{"startup_us", 20},
          {"transfer_us_per_byte", 0.125},
          {"ports", 2},
          {"startup_factor", 1.5},
          {"byte_factor", 2},
          {"fixed_us", 3}}},
        {"fitted",
         {{"startup_us", 20}, {"transfer_us_per_byte", 0.125}, {"startup_factor", 1.5}, {"byte_factor", 2}, {"fixed_us", 3}}},
        {"loggp", {{"latency_us", 9}, {"overhead_us", 2}, {"gap_us", 4}, {"gap_us_per_byte", 0.5}, {"ports", 1}}},
        {"flat",
         {{"startup_us", 10},
          {"compose_us_per_byte", 0.02},
          {"copy_us_per_byte", 0.03},
          {"wire_us_per_byte", 0.01},
          {"overlap", 1},
          {"contention", 1.5}}},
        {"cluster",
         {{"startup_us", 30},
          {"transfer_us_per_byte", 0.2},
          {"inside_startup_us", 1},
          {"inside_us_per_byte", 0.01},
          {"node_ports", 2},
          {"matching", 1}}},
        {"torus", {{"startup_us", 7}, {"wire_us_per_byte", 0.25}, {"rearrange_us_per_byte", 0.1}}}}};

TEST(TimeBound, TakesTheLeastTimesFromTheFormula) {
  const auto linear = least_times(*find_model("linear"), invented, nullptr);
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->startup_s, Fraction(20, 1'000'000));
  EXPECT_EQ(linear->byte_s, Fraction(1, 8'000'000));
  EXPECT_EQ(linear->ports, 2);
  // A further message of a round costs a gap, and saves the time of the byte that starts with it.
  EXPECT_EQ(least_times(*find_model("loggp"), invented, nullptr)->startup_s, Fraction(35, 10'000'000));
  EXPECT_EQ(least_times(*find_model("fitted"), invented, nullptr)->startup_s, Fraction(30, 1'000'000));
  const Topology torus = Topology::torus({4, 4});
  EXPECT_EQ(least_times(*find_model("torus"), invented, &torus)->ports, 4);
  EXPECT_FALSE(least_times(*find_model("torus"), invented, nullptr));
  const auto flat = least_times(*find_model("flat"), invented, &torus), cluster = least_times(*find_model("cluster"), invented, {});
  EXPECT_EQ(flat->byte_s, Fraction(3, 100'000'000)) << "the longest of the three parts";
  EXPECT_FALSE(flat->adds_up || flat->counts_links || flat->of_nodes);
  EXPECT_EQ(cluster->startup_s, Fraction(30, 1'000'000));
  EXPECT_EQ(cluster->byte_s, Fraction(2, 10'000'000));
  EXPECT_TRUE(cluster->of_nodes && cluster->adds_up && cluster->ports == 2);
  EXPECT_FALSE(least_times(*find_model("loggp"), invented, &torus)->counts_links);
  EXPECT_FALSE(least_times(*find_model("fitted"), invented, &torus)->counts_links);
  EXPECT_FALSE(least_times(*find_model("max-rate"), invented, nullptr));
}

// In loggp the first byte of a message takes no time, also on a link that many messages share.
TEST(TimeBound, HoldsForMessagesOfOneByte) {
  const MachineCosts machine{
      .name = "no gap",
      .models = {{"loggp", {{"latency_us", 1}, {"overhead_us", 0}, {"gap_us", 0}, {"gap_us_per_byte", 1}, {"ports", 8}}}}};
  const Model& model = *find_model("loggp");
  const Problem problem = Problem::alltoall(8, 1);
  const Topology ring = Topology::torus({8});
  const auto times = least_times(model, machine, &ring);
  const Bound bound = time_bound(problem, certified_bounds(problem, times->ports, &ring, 40), *times);
  const Schedule direct = make_schedule(problem, standard_choice(*find_algorithm(Collective::alltoall, "direct"), problem));
  EXPECT_LE(bound.exact.approximate(),
            price_of(workload_for(model, direct, &ring), model, machine).seconds(Policy::blocking) + 1e-9);
}

// Bruck's index with the best radix is the optimum of the linear model here, and the compound bound proves more than the sum.
TEST(TimeBound, WithTheCompoundBoundIsAboveTheSum) {
  const Problem problem = Problem::alltoall(16, 64);
  const LeastTimes times{.startup_s = 100, .byte_s = 1};
  const std::vector<Bound> bounds = certified_bounds(problem, 1);
  EXPECT_EQ(time_bound(problem, bounds, times).exact, Fraction(5 * 100 + 25 * 64));  // 5 blocks make one hop, 10 make two
  EXPECT_EQ(time_bound(problem, bounds, times, /*by_rounds=*/false).exact, Fraction(100 + 15 * 64));
}

// Looking at each of 10^9 numbers of rounds would take minutes.
TEST(TimeBound, IsFoundSoonForManyRanks) {
  const Problem problem = Problem::alltoall(1'000'000'000, 1);
  EXPECT_EQ(time_bound(problem, certified_bounds(problem, 1), {.startup_s = 1, .byte_s = 1}).exact, Fraction(1'000'000'029));
  const Problem fewer = Problem::alltoall(1'000'000, 1);
  EXPECT_EQ(time_bound(fewer, certified_bounds(fewer, 1), {.startup_s = 100, .byte_s = 1}).exact, Fraction(2'139'984));
}

// No algorithm has a smaller price under any policy, and no simulation by events ends earlier.
TEST(TimeBound, HoldsForAllAlgorithmsAndPolicies) {
  const Topology network = Topology::torus({2, 4});
  const Topology slow = parse_edge_list("0 1 1/4\n1 2\n2 3 2\n3 0\n4 5\n5 6\n6 7\n7 4\n0 4\n1 5 1/2\n", "slow links");
  for (const char* id : {"linear", "fitted", "loggp", "torus", "flat", "cluster"})
    for (const Topology* topology : {static_cast<const Topology*>(nullptr), &network, &slow}) {
      const Model& model = *find_model(id);
      const auto times = least_times(model, invented, topology);
      if (!times) continue;
      for (const Collective collective : all_collectives())
        for (const Bytes block : {Bytes{16}, Bytes{1000}}) {
          Problem problem = problem_of(collective, 8, block);
          problem.grid = network.grid();
          if (model.needs_nodes) problem.nodes = {0, 1, 0, 1, 2, 2, 2, 0};
          const std::vector<Bound> bounds = certified_bounds(problem, times->ports, topology, 40);
          const Bound bound = time_bound(problem, bounds, *times);
          if (bound.exact == Fraction()) continue;
          const std::optional<NetworkLinks> links = topology ? std::optional(links_of(*topology)) : std::nullopt;
          EXPECT_EQ(proved_value(problem, links, bound), bound.exact);
          const Bound of_events = time_bound(problem, bounds, *times, /*by_rounds=*/false);
          EXPECT_EQ(proved_value(problem, links, of_events), of_events.exact);
          for (const Algorithm* algorithm : algorithms_for(collective)) {
            const Choice choice = standard_choice(*algorithm, problem);
            if (!applies(problem, choice)) continue;
            SCOPED_TRACE(fmt::format("{} {}/{} {} B {}", id, name(collective), algorithm->id, block, topology ? "torus" : ""));
            const Schedule schedule = make_schedule(problem, choice);
            const Price price = price_of(workload_for(model, schedule, topology), model, invented);
            constexpr double rounding = 1e-9;
            for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
              EXPECT_LE(bound.exact.approximate(), price.seconds(policy) + rounding);
            if (!model.times_of_message || model.least_parts) continue;
            for (const Policy policy : {Policy::blocking, Policy::dataflow}) {
              const EventSimulation simulation =
                  simulate_events(schedule, message_times(model, invented), {.policy = policy, .topology = topology});
              EXPECT_LE(of_events.exact.approximate(), seconds_of(simulation.end) + rounding);
            }
          }
        }
    }
}

}  // namespace
}  // namespace quadrille

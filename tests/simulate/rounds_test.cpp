// SPDX-License-Identifier: BSD-3-Clause
// The round-synchronous simulator gives the price of each round, with links and without.
#include <gtest/gtest.h>

#include "quadrille/simulate.hpp"
#include "support/cases.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

// Coefficients that are not whole picoseconds per byte, so that rounding errors would show.
Coefficients odd_coefficients() {
  Coefficients values;
  double next = 0.0123456789;
  for (const Model* model : all_models())
    for (const Coefficient& coefficient : model->coefficients)
      if (!values.contains(coefficient.key)) values.emplace(coefficient.key, next = next > 1000 ? 0.0123456789 : next * 1.7);
  values["ports"] = values["node_ports"] = 2;
  return values;
}

void expect_price(const Schedule& schedule, const WorkloadOptions& options, const std::string& place) {
  for (const Model* model : all_models()) {
    WorkloadOptions counted = options;
    counted.chains = model->prices_windows;
    const Workload work = workload(schedule, counted);
    if (!applies(*model, work)) continue;
    const Price price = price_of(work, *model, odd_coefficients());
    const Simulation simulation = simulate_rounds(schedule, *model, odd_coefficients(), options);
    EXPECT_EQ(simulation.end, price.blocking) << place << ' ' << model->id;
    Picoseconds clock = 0;
    ASSERT_EQ(simulation.stages.size(), work.stages.size());
    for (std::size_t i = 0; i < work.stages.size(); ++i) {
      EXPECT_EQ(simulation.stages[i].begin, clock);
      clock += price.stages[i].before;
      for (const SimulatedRound& round : simulation.stages[i].rounds) {
        EXPECT_EQ(round.begin, clock);
        EXPECT_GE(round.end, round.begin);
        clock = round.end;
      }
      EXPECT_EQ(simulation.stages[i].end, clock);
    }
    EXPECT_EQ(simulation.end, clock);
  }
}

TEST(SimulateRounds, IsThePriceOfEveryAlgorithm) {
  const Topology torus = Topology::torus({3, 4});
  for (const Algorithm* algorithm : all_algorithms())
    for (Problem problem : testing::problems_of(*algorithm, 12, 24, 1)) {
      problem.grid = {3, 4};
      if (problem.nodes.empty())
        for (Rank rank = 0; rank < 12; ++rank) problem.nodes.push_back(rank / 4);
      const Choice choice = testing::standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      const std::string place = testing::description(problem) + ' ' + std::string(algorithm->id);
      expect_price(make_schedule(problem, choice), {.nodes = true}, place);
      expect_price(make_schedule(problem, choice), {.topology = &torus, .nodes = true}, place);
    }
}

// For every symmetry, the images of the representatives' messages are the messages of all ranks.
TEST(SimulateRounds, LoadsLinksBySymmetryAsByRank) {
  Count compared = 0;
  for (const char* name : {"ring:16", "torus:4x4", "torus:4x4,last", "mesh:2x8", "hypercube:16", "hypercube:16,last", "full:16",
                           "fat-tree:4", "cluster:4x4", "dragonfly:4x2x2"}) {
    const Topology topology = parse_topology(name);
    for (const Algorithm* algorithm : all_algorithms()) {
      Problem problem = testing::problem_of(algorithm->collective, 16, 40);
      problem.grid = topology.grid().empty() ? std::vector<Count>{4, 4} : topology.grid();
      if (problem.grid.size() == 1) problem.grid.clear();
      const Choice choice = testing::standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      Schedule schedule = make_schedule(problem, choice);
      if (!schedule.symmetry) continue;
      const Workload by_symmetry = workload(schedule, {.topology = &topology});
      schedule.symmetry.reset();
      const Workload by_rank = workload(schedule, {.topology = &topology});
      ASSERT_EQ(by_symmetry.stages.size(), by_rank.stages.size());
      for (std::size_t i = 0; i < by_rank.stages.size(); ++i) {
        ASSERT_EQ(by_symmetry.stages[i].rounds.size(), by_rank.stages[i].rounds.size());
        EXPECT_EQ(by_symmetry.stages[i].wire, by_rank.stages[i].wire);
        EXPECT_EQ(by_symmetry.stages[i].in_pieces, by_rank.stages[i].in_pieces) << name << ' ' << algorithm->id;
        for (std::size_t r = 0; r < by_rank.stages[i].rounds.size(); ++r, ++compared) {
          const RoundFigures &one = by_symmetry.stages[i].rounds[r], &other = by_rank.stages[i].rounds[r];
          EXPECT_EQ(one.sharing, other.sharing) << name << ' ' << algorithm->id << " round " << one.number;
          EXPECT_EQ(one.link_bytes, other.link_bytes) << name << ' ' << algorithm->id << " round " << one.number;
          EXPECT_EQ(one.turns, other.turns) << name << ' ' << algorithm->id << " round " << one.number;
          EXPECT_EQ(one.busiest_link, other.busiest_link) << name << ' ' << algorithm->id << " round " << one.number;
        }
      }
    }
  }
  EXPECT_GT(compared, 500);
}

// Compared with the verifier's own counting, which sorts the links that messages use.
TEST(SimulateRounds, FindsTheBusiestLink) {
  for (const char* name : {"torus:3x5", "mesh:3x5", "array:15", "a b\n", "a b 1/3\n7 8 2\n2 a 2\n0 a 1/4\n", "full:15"}) {
    const std::string edges =
        "0 a\n1 a\n2 a\n3 a\n4 b\n5 b\n6 b\n7 b\n8 c\n9 c\n10 c\n11 c\n12 a\n13 b\n14 c\na b\nb c\nc a\na d\nb d\nc d\n";
    const bool is_list = std::string_view(name).find(' ') != std::string_view::npos;
    const Topology topology = is_list ? parse_edge_list(edges + name, name) : parse_topology(name);
    const Schedule schedule = make_schedule(testing::problem_of(Collective::alltoallv, 15, 100), "shift");
    MessagesByRound rounds;
    for (Rank rank = 0; rank < 15; ++rank) add_messages(15, schedule.program(rank), Collective::alltoallv, rounds);
    for (const SimulatedStage& stage :
         simulate_rounds(schedule, *find_model("linear"), odd_coefficients(), {.topology = &topology}).stages)
      for (const SimulatedRound& round : stage.rounds) {
        const BusiestLink expected = busiest_link(topology, rounds.at(round.number), [](const auto&, const auto&) {});
        EXPECT_EQ(round.sharing, expected.sharing) << name;
        EXPECT_EQ(round.link_bytes, expected.bytes) << name;
        EXPECT_EQ(round.busiest_link, expected.link) << name;
      }
  }
}

TEST(Picoseconds, AreRoundedToTheNearestAndChecked) {
  EXPECT_EQ(ByteTime::of_seconds(78.7e-12).of(1000), 78'700);
  EXPECT_EQ(ByteTime::of_seconds(2.716e-12).of(1), 3);
  EXPECT_EQ(ByteTime::of_seconds(0.4e-12).of(1), 0);
  EXPECT_EQ(ByteTime::of_seconds(0.5e-12).of(1), 1);
  EXPECT_EQ(ByteTime::of_seconds(1e-6).of(Bytes{1} << 42), (Bytes{1} << 42) * 1'000'000)
      << "an intermediate result exceeds 64 bits";
  EXPECT_THROW(ByteTime::of_seconds(1e-6).of(Bytes{1} << 44), Error);
  EXPECT_THROW(ByteTime::of_seconds(10.0), Error);
  EXPECT_THROW(times(Count{1} << 40, Picoseconds{1} << 40), Error);
  EXPECT_THROW(add_times(INT64_MAX, 1), Error);
}

}  // namespace
}  // namespace quadrille

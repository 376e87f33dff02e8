// SPDX-License-Identifier: BSD-3-Clause
// The free-running model of exchanges [liu2002]: the work of the busiest rank of each stage counts, not the rounds.
#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/priced.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// [liu2002], (3) and (4): the work of a rank counts, not the rounds. Each rank sends seven messages in one stage.
TEST(FreeRunningModel, IsItsFormulas) {
  const Coefficients costs{{"startup_us", 100},     {"compose_us_per_byte", 0.25}, {"copy_us_per_byte", 0.5},
                           {"wire_us_per_byte", 2}, {"blocking_contention", 3},    {"contention", 1.5},
                           {"overlap", 1}};
  const Model& model = *find_model("free-running");
  for (const auto& [bytes, nonblocking] : {std::pair<Bytes, double>{10, 70 * 0.25 + 700}, {100, 700 * 0.25 + 700 * 3}}) {
    const Price price = price_of(workload(make_schedule(Problem::alltoall(8, bytes), "shift")), model, costs);
    EXPECT_NEAR(price.blocking_s * 1e6, 7 * (100 + static_cast<double>(bytes) * (0.25 + 0.5 + 3 * 2)), 1e-6) << bytes;
    EXPECT_NEAR(price.nonblocking_s * 1e6, nonblocking, 1e-6) << bytes;
    EXPECT_DOUBLE_EQ(price.dataflow_s, price.nonblocking_s) << "there is no stage before";
    EXPECT_EQ(price.terms.at(0).amount, 7);
    EXPECT_EQ(price.terms.at(1).amount, 7 * bytes);
  }
  // With two stages, the packing of the second is hidden. Sixteen ranks in rows and columns: three messages in each
  // stage, of twelve, eight and four blocks.
  const Price mesh = price_of(workload(make_schedule(Problem::alltoall(16, 100), "mesh")), model, costs);
  EXPECT_NEAR(mesh.blocking_s * 1e6, 2 * (3 * 100 + 2400 * 6.75), 1e-6);
  EXPECT_NEAR(mesh.nonblocking_s * 1e6, 2 * (2400 * 0.25 + 2400 * 3), 1e-6);
  EXPECT_NEAR(mesh.dataflow_s * 1e6, 2400 * 0.25 + 2 * 2400 * 3, 1e-6);
}

// The model does not count the time in which ranks wait for data that other ranks forward. So it applies to exchanges only.
TEST(FreeRunningModel, AppliesToExchangesOnly) {
  const Model& model = *find_model("free-running");
  for (const Algorithm* algorithm : all_algorithms()) {
    if (is_irregular(algorithm->collective)) continue;
    const Problem problem = problem_of(algorithm->collective, 4, 64);
    const Choice choice = parse_choice(problem, algorithm->id);
    if (!applies(problem, choice)) continue;
    const auto priced = applies(model, workload(make_schedule(problem, choice)));
    EXPECT_EQ(priced.has_value(), algorithm->collective == Collective::alltoall) << algorithm->id;
    if (!priced) EXPECT_NE(priced.error().find("--model flat"), std::string::npos) << priced.error();
  }
  EXPECT_TRUE(applies(model, workload(make_schedule(Problem::alltoallv(4, std::vector<TrafficEntry>{{0, 1, 70}}), "shift"))));
  EXPECT_THROW(price_of(workload(make_schedule(problem_of(Collective::scan, 4, 8), "chain")), model, find_machine("sp2")), Error);
}

// The messages and bytes of the busiest rank count, not those of the longest message of each round.
TEST(FreeRunningModel, ChargesTheBusiestRankOfEachStage) {
  const Coefficients costs{{"startup_us", 1000},       {"compose_us_per_byte", 0}, {"copy_us_per_byte", 0}, {"wire_us_per_byte", 1},
                           {"blocking_contention", 1}, {"contention", 1},          {"overlap", 1}};
  // In round 1 rank 0 sends 70 bytes, in round 2 rank 1 sends 50. In step, that is 120 bytes and two start-ups, but
  // no rank has more than one message.
  const Problem apart = Problem::alltoallv(4, {{0, 1, 70}, {1, 3, 50}});
  const Workload work = workload(make_schedule(apart, "shift"));
  EXPECT_NEAR(price_of(work, *find_model("free-running"), costs).blocking_s * 1e6, 1000 + 70, 1e-6);
  EXPECT_NEAR(price_of(work, *find_model("flat"), costs).blocking_s * 1e6, 2000 + 120, 1e-6);
  // Start-ups of one rank and bytes of another: rank 0 sends three short messages, rank 3 a long one.
  const Problem mixed = Problem::alltoallv(4, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {3, 1, 500}});
  EXPECT_NEAR(price_of(workload(make_schedule(mixed, "shift")), *find_model("free-running"), costs).blocking_s * 1e6, 3000 + 501,
              1e-6);
  // Stages are added; each has its own maximum.
  const Workload grid =
      workload(make_schedule(make_traffic(64, {.kind = TrafficKind::transpose, .most = 1024}), "grid:columns=paper,counts=known"));
  double sum = 0;
  for (const StageFigures& stage : grid.stages) {
    EXPECT_LE(stage.messages, stage.startups);
    EXPECT_LE(stage.load, stage.volume);
    sum += 1000 * static_cast<double>(stage.messages) + static_cast<double>(stage.load);
  }
  EXPECT_NEAR(price_of(grid, *find_model("free-running"), costs).blocking_s * 1e6, sum, 1e-6);
}

// Section 3.3, table 3, on the T3D, where each of 64 nodes sends 1024 elements of 48 bytes to one node and one
// element to each other: A1 takes 4.68 ms, A2 9.35 and A4 10.27. Start-ups and traffic are combined by hand into one
// stage.
TEST(FreeRunningModel, PrefersA1OnTheT3d) {
  const MachineCosts t3d = find_machine("t3d");
  const auto ms = [&](Count startups, Bytes elements) {
    Workload work{.is_exchange = true};
    work.stages.push_back({.startups = startups, .messages = startups, .volume = elements * 48, .load = elements * 48});
    return price_of(work, *find_model("free-running"), t3d).blocking_s * 1e3;
  };
  EXPECT_NEAR(ms(64, 1087), 4.68, 0.005);
  EXPECT_NEAR(ms(128, 2 * 1087), 9.35, 0.005);
  EXPECT_NEAR(ms(34, 4 * 1087), 10.27, 0.005);
}

}  // namespace
}  // namespace quadrille

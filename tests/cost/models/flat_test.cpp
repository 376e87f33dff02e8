// SPDX-License-Identifier: BSD-3-Clause
// The flat model [liu2002]: its formulas compared with counts from schedules, and the choices that follow from it.
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"

namespace quadrille {
namespace {

// Times in seconds; per byte, too, except for the first.
Coefficients costs(double startup, double compose, double copy, double wire) {
  return {{"startup_us", startup * 1e6},
          {"compose_us_per_byte", compose * 1e6},
          {"copy_us_per_byte", copy * 1e6},
          {"wire_us_per_byte", wire * 1e6},
          {"overlap", 1}};
}

Price flat_price(const Problem& problem, const std::string& specification, const Coefficients& coefficients) {
  return price_of({.stages = stage_figures(make_schedule(problem, specification))}, *find_model("flat"), coefficients);
}

// P(Ts + m tau) and P m tm + P max(Ts, m tc, m td), with P - 1 for P, because messages to oneself do not count.
TEST(FlatModel, PricesUniformMessagesByThePapersFormula) {
  const Coefficients model = costs(5, 0.25, 0.5, 2);
  for (const Count p : {2, 5, 16})
    for (const Bytes m : {1, 2, 3, 100})
      for (const Problem& problem : {Problem::alltoall(p, m), make_traffic(p, {.kind = TrafficKind::equal, .typical = m})}) {
        const Price price = flat_price(problem, "shift", model);
        const auto messages = static_cast<double>(p - 1), bytes = static_cast<double>(m);
        EXPECT_DOUBLE_EQ(price.blocking_s, messages * (5 + bytes * 2.75));
        // A single message overlaps with nothing.
        const double longest = p == 2 ? 5 + bytes * 2.5 : std::max({5.0, bytes * 0.5, bytes * 2});
        EXPECT_DOUBLE_EQ(price.nonblocking_s, messages * bytes * 0.25 + messages * longest);
        EXPECT_DOUBLE_EQ(price.dataflow_s, price.nonblocking_s) << "there is no stage before";
      }
}

TEST(FlatModel, HidesComposingBehindThePreviousStage) {
  const Coefficients model = costs(0, 0.25, 0.5, 2);
  const Price price = flat_price(make_traffic(64, {.kind = TrafficKind::equal, .typical = 16}),
                                 "four-stage:columns=paper,grain=1,counts=known", model);
  EXPECT_EQ(price.terms.at(0).amount, 28);
  EXPECT_EQ(price.terms.at(1).amount, 3584);
  EXPECT_DOUBLE_EQ(price.nonblocking_s, 3584 * 2.25);
  EXPECT_DOUBLE_EQ(price.dataflow_s, 3584 * 2 + 896 * 0.25);
}

TEST(FlatModel, CountsEverythingThatARankSendsInARound) {
  const std::vector<StageFigures> stages = stage_figures(make_schedule(Problem::alltoall(9, 10), "direct"));
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].startups, 8);
  EXPECT_EQ(stages[0].volume, 80);
  EXPECT_EQ(stages[0].load, 80);
  // All ranks send to one: its received bytes count, not the bytes that each sends.
  const auto to_one = stage_figures(make_schedule(make_traffic(9, {.kind = TrafficKind::all_to_one, .typical = 10}), "direct"));
  EXPECT_EQ(to_one[0].volume, 80);
  EXPECT_EQ(to_one[0].startups, 8);
  // Control messages count as messages: one of 8 bytes in each of four rounds.
  const auto barrier =
      stage_figures(make_schedule(make_traffic(9, {.kind = TrafficKind::all_to_one, .typical = 0}), "padded-bruck"));
  EXPECT_EQ(barrier[0].startups, 4);
  EXPECT_EQ(barrier[0].volume, 32);
}

// The bytes on the wire are those of the longest chain, or follow from the contention factor and lie between load and volume.
TEST(FlatModel, ScalesBytesOnTheWireByContention) {
  Coefficients model = costs(0, 0, 0, 1);
  const Problem skewed = make_traffic(64, {.kind = TrafficKind::transpose, .most = 1024});
  EXPECT_DOUBLE_EQ(flat_price(skewed, "shift", model).blocking_s, 14336);
  EXPECT_DOUBLE_EQ(flat_price(skewed, "shift", model).nonblocking_s, 1024) << "no two messages have a rank in common";
  model["contention"] = 3;
  EXPECT_DOUBLE_EQ(flat_price(skewed, "shift", model).nonblocking_s, 3072);
  model["contention"] = 1000;
  EXPECT_DOUBLE_EQ(flat_price(skewed, "shift", model).nonblocking_s, 14336);
}

// Messages for one rank wait for each other, and so do the next ones of their senders. Ranks 0 and 3 send to 1, then to 2.
TEST(FlatModel, LetsMessagesWaitAtTheirRanks) {
  Coefficients model = costs(1, 0.5, 0, 1);
  const Problem chained = Problem::alltoallv(4, {{0, 1, 100}, {0, 2, 10}, {3, 1, 20}, {3, 2, 70}});
  for (const char* specification : {"shift", "direct", "direct:window=1"}) {
    EXPECT_DOUBLE_EQ(flat_price(chained, specification, model).nonblocking_s, 120 * 0.5 + 190) << specification;
  }
  model["overlap"] = 0;
  EXPECT_DOUBLE_EQ(flat_price(chained, "direct", model).nonblocking_s, 2 + 120 * 0.5 + 190);
  EXPECT_DOUBLE_EQ(flat_price(chained, "direct", model).dataflow_s, 2 + 120 * 0.5 + 190);
  EXPECT_DOUBLE_EQ(flat_price(chained, "direct", model).blocking_s, 2 + 120 * 1.5 + 70) << "a round has such chains, too";
}

// In a chain a rank waits for what others forward, so the rounds follow each other under all policies.
TEST(FlatModel, KeepsStepWhereRanksForward) {
  const MachineCosts sp2 = find_machine("sp2");
  MachineCosts contended = sp2;
  contended.models.at("flat")["contention"] = 3;
  const Workload work = workload_for(*find_model("flat"), make_schedule(Problem::broadcast(16, 1024, 0), "binomial"));
  const Price price = price_of(work, *find_model("flat"), sp2);
  EXPECT_NEAR(price.nonblocking_s, 4 * 44e-6 + 4 * 1024 * 0.035e-6, 1e-12) << "nothing overlaps with a single message";
  EXPECT_EQ(price.nonblocking_s, price.blocking_s);
  EXPECT_EQ(price_of(work, *find_model("flat"), contended).nonblocking_s, price.nonblocking_s);
}

// A consequence of the model: which algorithm is best, for P = 64 and a start-up that takes as long as `rho` bytes.
TEST(FlatModel, PrefersTheAlgorithmsOfTheAnalysis) {
  const auto best = [](const Problem& problem, double rho) {
    const Coefficients model = costs(rho, 0, 0, 1);
    std::string name;
    double least = 0;
    for (const char* specification : {"shift", "two-phase:grain=1,counts=known", "grid:columns=paper,counts=known",
                                      "four-stage:columns=paper,grain=1,counts=known"}) {
      const double seconds = flat_price(problem, specification, model).blocking_s;
      if (name.empty() || seconds < least) {
        name = std::string(specification).substr(0, std::string_view(specification).find(':'));
        least = seconds;
      }
    }
    return name;
  };
  const auto uniform = [](Bytes bytes) { return make_traffic(64, {.kind = TrafficKind::equal, .typical = bytes}); };
  const auto skewed = [](Bytes bytes) { return make_traffic(64, {.kind = TrafficKind::transpose, .most = bytes}); };
  EXPECT_EQ(best(uniform(100), 1000), "grid") << "short and balanced";
  EXPECT_EQ(best(uniform(2000), 1000), "shift") << "long and balanced";
  EXPECT_EQ(best(skewed(64 * 200), 1000), "four-stage") << "skewed";
  EXPECT_EQ(best(skewed(64 * 2000), 1000), "two-phase") << "skewed and long";
}

// Contention on a link delays the wire, but not copying.
TEST(FlatModel, ChargesTheBusiestLink) {
  const Coefficients model = costs(5, 0, 0.5, 2);
  const Topology ring = Topology::ring(8);
  const Workload work = workload(make_schedule(Problem::alltoall(8, 10), "shift"), {.topology = &ring});
  EXPECT_EQ(work.stages.at(0).volume, 70);
  EXPECT_EQ(work.stages.at(0).wire, 160) << "round j crosses min(j, 8 - j) links, which as many share";
  EXPECT_DOUBLE_EQ(price_of(work, *find_model("flat"), model).blocking_s, 7 * 5 + 70 * 0.5 + 160 * 2);
}

TEST(FlatModel, AddsAllPartsIfNothingOverlaps) {
  const Model& flat = *find_model("flat");
  const Workload work = workload_for(flat, make_schedule(Problem::alltoall(8, 1000), "shift"));
  const Price cm5 = price_of(work, flat, find_machine("cm5")), sp2 = price_of(work, flat, find_machine("sp2"));
  EXPECT_DOUBLE_EQ(cm5.nonblocking_s, cm5.blocking_s);
  EXPECT_LT(sp2.nonblocking_s, sp2.blocking_s);
  EXPECT_NEAR(cm5.blocking_s, 7 * (85e-6 + 1000 * 0.12e-6), 1e-12);
}

}  // namespace
}  // namespace quadrille

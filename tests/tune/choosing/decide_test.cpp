// SPDX-License-Identifier: BSD-3-Clause
// Decisions by wisdom and by price, on made-up machines.
#include "quadrille/decision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "quadrille/cost.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// A fit on one node, with only a start-up and a time per byte.
ExecutorFit fit_of(Executor executor, Count ranks, double startup_us, double us_per_byte) {
  const Model& model = *find_model("max-rate");
  ExecutorFit fit{.executor = executor, .ranks = ranks, .nodes = 1, .ranks_of_node = ranks, .date = "2026-11-23"};
  for (const Coefficient& coefficient : model.coefficients)
    fit.coefficients[std::string(coefficient.key)] = coefficient.standard.value_or(0);
  fit.coefficients["inside_startup_us"] = startup_us;
  fit.coefficients["round_us"] = startup_us;
  fit.coefficients["inside_us_per_byte"] = us_per_byte;
  return fit;
}

Problem on_one_node(Problem problem) {
  problem.nodes.assign(static_cast<std::size_t>(problem.ranks), 0);
  return problem;
}

WisdomRecord record_of(const Problem& problem, const std::vector<WisdomEntry>& entries) {
  WisdomRecord record{.situation = situation_of(problem), .date = "2026-11-22", .repetitions = 9, .entries = entries};
  return record;
}

TEST(Decide, TakesTheFastestMeasuredWayThatIsAvailable) {
  const Problem problem = on_one_node(Problem::alltoall(8, 64));
  Wisdom wisdom;
  wisdom.add(fit_of(Executor::shared, 8, 1, 1e-3));
  wisdom.add(record_of(
      problem,
      {{.way = {.algorithm = Vendor{}, .executor = Executor::mpi}, .timing = {1e-6, 1e-6, 1e-6}},
       {.way = {.algorithm = parse_choice(problem, "bruck"), .executor = Executor::mpi}, .timing = {2e-6, 2e-6, 2e-6}},
       {.way = {.algorithm = parse_choice(problem, "shift"), .executor = Executor::shared}, .timing = {3e-6, 3e-6, 3e-6}}}));
  const Decision all = decide(problem, wisdom, {.executors = {Executor::shared, Executor::mpi}, .with_vendor = true});
  EXPECT_TRUE(all.chosen.is_vendor());
  EXPECT_EQ(all.source, Source::wisdom);
  EXPECT_EQ(decide(problem, wisdom, {.executors = {Executor::shared, Executor::mpi}}).chosen.executor, Executor::mpi);
  EXPECT_EQ(decide(problem, wisdom, {.executors = {Executor::shared}, .effort = Effort::wisdom_only}).chosen.algorithm,
            Candidate(parse_choice(problem, "shift")));
}

TEST(Decide, ByWisdomOnlyRefusesWhatIsNotMeasured) {
  EXPECT_THROW(decide(on_one_node(Problem::alltoall(8, 64)), {}, {.effort = Effort::wisdom_only}), Error);
}

TEST(Decide, SwitchesFromFewRoundsToFewBytes) {
  Wisdom wisdom;
  wisdom.add(fit_of(Executor::shared, 16, 10, 1e-3));
  const auto chosen = [&](Bytes bytes) {
    const Decision decision = decide(on_one_node(Problem::alltoall(16, bytes)), wisdom, {.executors = {Executor::shared}});
    EXPECT_EQ(decision.source, Source::price);
    return decision.chosen.algorithm;
  };
  const auto rounds = [&](Bytes bytes) { return figures(make_schedule(Problem::alltoall(16, bytes), chosen(bytes))).c1; };
  const auto bytes_of = [&](Bytes bytes) { return figures(make_schedule(Problem::alltoall(16, bytes), chosen(bytes))).c2 / bytes; };
  EXPECT_EQ(rounds(8), 4) << specification(chosen(8));
  EXPECT_EQ(bytes_of(1 << 20), 15) << specification(chosen(1 << 20));
}

TEST(Decide, TakesTheVendorsWhereItsCurveIsLower) {
  const Problem problem = on_one_node(Problem::alltoall(4, 64));
  Wisdom wisdom;
  wisdom.add(fit_of(Executor::shared, 4, 1, 1e-3));
  const DecisionOptions options{.executors = {Executor::shared}, .with_vendor = true};
  EXPECT_FALSE(decide(problem, wisdom, options).chosen.is_vendor());
  wisdom.add(VendorFit{.ranks = 4, .ranks_of_node = 4, .seconds = {{8, 1e-9}, {1024, 2e-9}}, .date = "2026-11-23"});
  EXPECT_TRUE(decide(problem, wisdom, options).chosen.is_vendor());
}

TEST(Decide, WithoutAnyKnowledgeTakesTheDefault) {
  const Decision decision = decide(on_one_node(Problem::alltoall(4, 64)), {}, {});
  EXPECT_EQ(decision.source, Source::standard);
  EXPECT_TRUE(specification(decision.chosen.algorithm).starts_with("direct"));
}

TEST(Decide, GivesAReasonForEachWayThatIsNotTaken) {
  Wisdom wisdom;
  wisdom.add(fit_of(Executor::shared, 8, 1, 1e-3));
  for (const Collective collective : all_collectives()) {
    const Decision decision =
        decide(on_one_node(problem_of(collective, 8, 128)), wisdom, {.executors = {Executor::shared}, .with_vendor = true});
    ASSERT_FALSE(decision.considered.empty());
    EXPECT_EQ(decision.considered[0].way, decision.chosen);
    EXPECT_TRUE(decision.considered[0].rejected.empty());
    for (std::size_t i = 1; i < decision.considered.size(); ++i) EXPECT_FALSE(decision.considered[i].rejected.empty());
    if (collective != Collective::alltoallv)
      EXPECT_TRUE(applies(problem_of(collective, 8, 128), std::get<Choice>(decision.chosen.algorithm)));
  }
}

// Bruck's radices, ports and levels: each choice that was kept is better than each dropped one in rounds, start-ups or bytes.
// By a preset machine's figures, of the ways that cost at most a tenth more than the cheapest.
TEST(Decide, BetweenNodesTakesTheFewestRoundsOfWaysWithAboutOnePrice) {
  MachineCosts slow = find_machine("ethernet100");
  for (const char* const key : {"us_per_byte", "node_us_per_byte"}) slow.models["max-rate"][key] = 0.08;
  Problem problem = Problem::alltoall(24, 4096);
  for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / 4);
  const auto decided = [&](const MachineCosts& machine) {
    return decide(problem, {}, {.executors = {Executor::hybrid}, .preset = machine});
  };
  const auto least_s = [](const Decision& decision) {
    double least = 1e9;
    for (const Considered& each : decision.considered) least = std::min(least, each.predicted_s.value_or(1e9));
    return least;
  };
  const auto rounds_of = [&](const Candidate& algorithm) { return node_figures(make_schedule(problem, algorithm)).rounds; };
  const Decision among_equals = decided(slow);
  EXPECT_EQ(rounds_of(among_equals.chosen.algorithm), 1) << to_string(among_equals.chosen);
  EXPECT_GT(*among_equals.considered[0].predicted_s, least_s(among_equals));
  EXPECT_LE(*among_equals.considered[0].predicted_s, 1.1 * least_s(among_equals));
  EXPECT_NE(among_equals.reason.find("fewest rounds between nodes"), std::string::npos);
  problem.block_bytes = 64;  // start-ups decide
  const Decision cheapest = decided(slow);
  EXPECT_GT(rounds_of(cheapest.chosen.algorithm), 1) << to_string(cheapest.chosen);
  EXPECT_EQ(*cheapest.considered[0].predicted_s, least_s(cheapest));
}

Problem on_torus(const std::vector<Count>& sides, const Topology& torus, Bytes block_bytes) {
  Problem problem = Problem::alltoall(torus.ranks(), block_bytes);
  problem.grid = sides;
  return problem;
}

// A document's model defines the machine, so the least price decides, with the ports that the machine has. As a real machine with
// the same figures it would have an unknown time for each round, and fewer rounds would decide.
TEST(Decide, TakesTheLeastPriceAloneOnAnExactMachine) {
  const MachineCosts sp1 = find_machine("sp1");
  ASSERT_TRUE(sp1.is_exact);
  MachineCosts real = sp1;
  real.is_exact = false;
  Count fewer = 0;
  for (const Bytes bytes : {4, 8, 12, 16, 20, 24, 64, 1024}) {
    const Problem problem = Problem::alltoall(64, bytes);
    const Decision decision = decide(problem, {}, {.preset = sp1}), others = decide(problem, {}, {.preset = real});
    EXPECT_TRUE(decision.is_exact);
    EXPECT_EQ(tie_tolerance(decision), 0);
    const double taken_s = *decision.considered[0].predicted_s;
    double best_s = 1;
    for (const char* radix : {"2", "4", "8", "16", "32", "64"})
      best_s = std::min(
          best_s,
          price_of(workload(make_schedule(problem, std::string("bruck:radix=") + radix)), *find_model("linear"), sp1).blocking_s);
    EXPECT_LE(taken_s, best_s) << bytes;
    EXPECT_LE(figures(make_schedule(problem, decision.chosen.algorithm)).ports, 1) << to_string(decision.chosen);
    for (const Considered& each : decision.considered) EXPECT_GE(each.predicted_s.value_or(taken_s), taken_s);
    fewer += figures(make_schedule(problem, others.chosen.algorithm)).ports > 1 ? 1 : 0;
  }
  EXPECT_GE(fewer, 5) << "on a real machine of these figures fewer rounds decide";
}

TEST(Decide, TriesBothOrdersOfATorus) {
  const MachineCosts paragon = find_machine("paragon");
  const Model& model = *find_model("torus");
  for (const auto& [sides, bytes] :
       std::vector<std::pair<std::vector<Count>, Bytes>>{{{4, 8}, 512}, {{8, 8}, 1024}, {{12, 12}, 16384}}) {
    const Topology torus = Topology::torus(sides);
    const Problem problem = on_torus(sides, torus, bytes);
    const Decision decision = decide(problem, {}, {.preset = paragon, .topology = torus});
    for (const char* rival : {"torus:order=at2", "torus:order=dimension-split", "bruck:ports=7,radix=8", "direct"})
      EXPECT_LE(*decision.considered[0].predicted_s,
                price_of(workload_for(model, make_schedule(problem, rival), &torus), model, paragon).blocking_s)
          << rival << ' ' << to_string(decision.chosen);
    EXPECT_EQ(to_string(decision.chosen).find("order=dimension-split") != std::string::npos, bytes < 16384)
        << "long blocks go directly: the copies of all orders take longer; " << to_string(decision.chosen);
  }
}

TEST(Ways, OfBrucksAlgorithmAreAParetoFront) {
  for (const Count p : {5, 16, 27, 64}) {
    const Problem problem = Problem::alltoall(p, 8);
    std::vector<Figures> kept;
    for (const Choice& choice : choices_worth_trying(problem))
      if (choice.algorithm->id == "bruck") kept.push_back(figures(make_schedule(problem, choice)));
    EXPECT_GE(kept.size(), 2u);
    for (const Figures& one : kept)
      for (const Figures& other : kept)
        EXPECT_TRUE(&one == &other || other.c1 > one.c1 || other.startups > one.startups || other.c2 > one.c2);
  }
}

TEST(Ways, ForOwnCountsNeedNoOtherCounts) {
  const Problem problem = make_traffic(9, {.kind = TrafficKind::uniform, .typical = 100});
  const std::vector<Choice> all = choices_worth_trying(problem), own = choices_worth_trying(problem, /*own_counts_only=*/true);
  EXPECT_LT(own.size(), all.size());
  EXPECT_GE(own.size(), 3u);
  for (const Choice& choice : own)
    EXPECT_TRUE(choice.algorithm->needs_own_counts_only || choice.algorithm->incremental(problem, choice.parameters, 0))
        << specification(choice);
}

}  // namespace
}  // namespace quadrille

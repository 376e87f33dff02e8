// SPDX-License-Identifier: BSD-3-Clause
// Explanations that a program asks for.
#include "quadrille/explain.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// A machine on which start-ups are expensive.
MachineKnowledge dear() {
  MachineCosts machine{.name = "dear", .description = "made for a test", .source = "nobody"};
  Coefficients& coefficients = machine.models["max-rate"];
  for (const Coefficient& coefficient : find_model("max-rate")->coefficients)
    if (coefficient.standard) coefficients[std::string(coefficient.key)] = *coefficient.standard;
  for (const auto& [key, value] : std::map<std::string, double>{{"startup_us", 10},
                                                                {"us_per_byte", 0.001},
                                                                {"node_us_per_byte", 0.0005},
                                                                {"inside_startup_us", 1},
                                                                {"inside_us_per_byte", 0.0002}})
    coefficients[key] = value;
  return {.preset = machine};
}

Problem on_nodes(Problem problem, Count ranks_of_node) {
  for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / ranks_of_node);
  return problem;
}

TEST(Explain, PricesAddUpAndTheCheapestIsTaken) {
  const Explanation told = explain(on_nodes(Problem::alltoall(16, 64), 4), dear(), {.seconds = 0});
  EXPECT_EQ(told.decision.source, Source::price);
  EXPECT_EQ(told.decision.preset, "dear");
  EXPECT_EQ(told.decision.situation.nodes, 4);
  ASSERT_GE(told.ways.size(), 4u);
  EXPECT_EQ(told.ways[0].considered.way, told.decision.chosen);
  EXPECT_EQ(told.ways[0].considered.rejected, "");
  double before = 0;
  int taken_apart = 0;
  for (const ExplainedWay& each : told.ways) {
    if (&each != &told.ways[0]) EXPECT_NE(each.considered.rejected, "") << each.name;
    if (!each.considered.predicted_s) continue;
    const double seconds = *each.considered.predicted_s;
    EXPECT_GE(seconds, before);
    before = seconds;
    if (!each.parts) continue;
    ++taken_apart;
    const PriceParts& parts = *each.parts;
    EXPECT_NEAR(parts.startups_s + parts.bytes_s + parts.copies_s + parts.contention_s, seconds, 1e-3 * seconds) << each.name;
  }
  EXPECT_GE(taken_apart, 4);
  EXPECT_LE(*told.bound.seconds, *told.seconds());
  EXPECT_GT(*told.bound.seconds, 0);
}

TEST(Explain, CountsStartUpsAndRounds) {
  MachineKnowledge known = dear();
  known.has_mpi = false;
  const Explanation told = explain(Problem::alltoall(8, 8), known, {.most_parts = 1000, .seconds = 0});
  const auto shift =
      std::find_if(told.ways.begin(), told.ways.end(), [](const ExplainedWay& each) { return each.name == "shift"; });
  ASSERT_TRUE(shift != told.ways.end() && shift->parts);
  EXPECT_EQ(shift->parts->startups, 7);
  EXPECT_EQ(shift->parts->rounds, 7);
  EXPECT_EQ(shift->parts->bytes, 7 * 8);
  EXPECT_NEAR(shift->parts->startups_s, 7e-6, 1e-12);
  EXPECT_EQ(told.bound.rounds, 3);
  EXPECT_EQ(told.bound.bytes, 7 * 8);
  std::set<std::pair<std::string, Executor>> names;
  for (const ExplainedWay& each : told.ways)
    EXPECT_TRUE(names.emplace(each.name, each.considered.way.executor).second) << each.name;
  const Explanation few = explain(Problem::alltoall(8, 8), known, {.most_parts = 2, .seconds = 0});
  EXPECT_EQ(std::count_if(few.ways.begin(), few.ways.end(), [](const ExplainedWay& each) { return each.parts.has_value(); }), 2);
}

TEST(Explain, FindsWhereTheChoiceChanges) {
  MachineKnowledge known = dear();
  known.has_mpi = false;
  std::set<FlipQuantity> examined;
  const Problem problem = Problem::alltoall(16, 8);
  const Explanation told =
      explain(problem, known, {.seconds = 60, .progress = [&](FlipQuantity quantity, Count) { examined.insert(quantity); }});
  ASSERT_GE(told.by_block.list.size(), 2u);
  const auto taken_at = [&](Bytes bytes) {
    const Problem other = Problem::alltoall(16, bytes);
    return way_text(other, explain(other, known, {.seconds = 0}).decision.chosen);
  };
  EXPECT_EQ(told.by_block.list[0].way, taken_at(1));
  const Flip& flip = told.by_block.list[1];
  EXPECT_EQ(flip.way, taken_at(flip.from));
  EXPECT_NE(flip.way, taken_at(flip.from - flip.from / 16 - 1));
  EXPECT_EQ(told.by_block.upto, most_block_bytes);
  EXPECT_EQ(told.by_ranks.upto, 256) << "16 times as many ranks";
  EXPECT_EQ(told.by_block.note + told.by_ranks.note + told.by_irregularity.note, "");
  EXPECT_TRUE(told.by_irregularity.list.empty()) << "an alltoall has none";
  EXPECT_EQ(examined, (std::set{FlipQuantity::block_bytes, FlipQuantity::ranks}));
}

// Each node keeps its ranks.
TEST(Explain, AddsNodes) {
  std::set<Count> examined;
  const auto note = [&](FlipQuantity quantity, Count value) {
    if (quantity == FlipQuantity::ranks) examined.insert(value);
  };
  explain(on_nodes(Problem::broadcast(4, 64, 3), 2), dear(), {.seconds = 60, .progress = note});
  EXPECT_EQ(examined, (std::set<Count>{4, 8, 16, 32, 64}));
}

TEST(Explain, NeedsToKnowWhatOtherSizesMeanForCounts) {
  std::vector<Bytes> counts(16, 0);
  counts[1] = counts[6] = counts[11] = 1000;
  counts[12] = 90000;
  const Problem problem = Problem::alltoallv(4, counts);
  const Explanation told = explain(problem, dear());
  EXPECT_EQ(told.decision.situation.skew, 4);
  EXPECT_EQ(told.decision.situation.sparsity, 4);
  EXPECT_EQ(told.decision.situation.irregularity, 4);
  EXPECT_EQ(told.by_irregularity.upto, 4);
  EXPECT_EQ(told.by_block.note, "the sizes are given");
  EXPECT_EQ(told.by_ranks.note, "the counts are given for so many ranks");

  const auto equal = [](Count ranks, Bytes bytes) {
    return Problem::alltoallv(ranks, std::vector<Bytes>(index(ranks * ranks), bytes));
  };
  const Explanation more = explain(problem, dear(),
                                   {.seconds = 60,
                                    .at_block = [&](Bytes bytes) { return equal(4, bytes); },
                                    .at_ranks = [&](Count ranks) { return equal(ranks, 8); }});
  EXPECT_EQ(more.by_block.upto, most_block_bytes);
  EXPECT_EQ(more.by_ranks.upto, 64);
}

// A permutation's messages are all as long as their mean, though most pairs of ranks exchange nothing.
TEST(Explain, MeasuresIrregularityByTheMessagesThatAreNotEmpty) {
  std::vector<TrafficEntry> entries;
  for (Rank rank = 0; rank < 16; ++rank) entries.push_back({rank, (rank + 5) % 16, 60000});
  EXPECT_EQ(irregularity(Problem::alltoallv(16, entries)), 1);
  for (Rank rank = 0; rank < 16; ++rank)
    for (Count i = 1; i < 4; ++i) entries.push_back({rank, (rank + 5 + i) % 16, 0});
  EXPECT_EQ(irregularity(Problem::alltoallv(16, entries)), 1) << "empty messages do not count";
  for (Rank rank = 0; rank < 16; ++rank) entries.push_back({rank, (rank + 9) % 16, 20000});
  const Problem problem = Problem::alltoallv(16, entries);
  EXPECT_DOUBLE_EQ(irregularity(problem), 1.5);
  EXPECT_EQ(situation_of(problem).skew, 1);
  EXPECT_EQ(irregularity(Problem::alltoallv(16, std::vector<TrafficEntry>{})), 1);
  EXPECT_EQ(situation_of(Problem::allgatherv(4, {30, 0, 10, 20})).irregularity, 2) << "30 over 20 is 1.5, rounded up";
}

// The line names the chosen way at the problem's own irregularity.
TEST(Explain, FindsTheAnswerAtTheProblemsOwnIrregularity) {
  for (const Bytes longest : {Bytes{64}, Bytes{1024}, Bytes{65536}}) {
    std::vector<Bytes> counts(256, 64);
    for (Rank rank = 0; rank < 16; ++rank) counts[index(16 * rank + (rank + 5) % 16)] = longest;
    const Problem problem = Problem::alltoallv(16, counts);
    const auto own = std::max<Count>(1, std::llround(irregularity(problem)));
    const Explanation told = explain(problem, dear(), {.seconds = 60});
    ASSERT_FALSE(told.by_irregularity.list.empty());
    EXPECT_GE(told.by_irregularity.upto, own);
    std::string way;
    for (const Flip& flip : told.by_irregularity.list)
      if (flip.from <= own) way = flip.way;
    EXPECT_EQ(way, way_text(problem, told.decision.chosen)) << longest;
  }
}

TEST(Explain, PrefersMeasuredTimes) {
  const Problem problem = Problem::alltoall(4, 64);
  MachineKnowledge known = dear();
  const auto entry = [&](const std::string& algorithm, double seconds) {
    return WisdomEntry{{.algorithm = parse_choice(problem, algorithm), .executor = Executor::shared},
                       {seconds, 0.9 * seconds, 1.1 * seconds}};
  };
  known.wisdom.add(WisdomRecord{.situation = situation_of(problem),
                                .date = "2026-11-20",
                                .repetitions = 9,
                                .entries = {entry("bruck:radix=2", 2), entry("shift", 3)}});
  const Explanation told = explain(problem, known, {.seconds = 0});
  EXPECT_EQ(told.decision.source, Source::wisdom);
  EXPECT_EQ(way_text(problem, told.decision.chosen), "bruck by shared memory");
  EXPECT_EQ(told.seconds(), 2);
  EXPECT_EQ(told.bound.rounds, 2);
  EXPECT_NE(explain(Problem::alltoall(4, 1 << 20), known, {.seconds = 0}).decision.source, Source::wisdom);
}

// Predictions of a preset machine are not exact to 3 %.
TEST(Explain, SaysWhichWaysAreTied) {
  const Explanation told = explain(Problem::alltoall(16, 64), dear(), {.seconds = 0});
  EXPECT_EQ(tie_tolerance(told.decision), 0.03);
  EXPECT_EQ(tie_tolerance({.prediction_error = 0.14}), 0.14);
  const double best = *told.decision.considered[0].predicted_s;
  int tied = 0;
  for (std::size_t i = 1; i < told.decision.considered.size(); ++i) {
    const Considered& each = told.decision.considered[i];
    if (!each.predicted_s) continue;
    const bool is_faster = 1.03 * *each.predicted_s < best;
    EXPECT_EQ(each.rejected.starts_with("tied: "), !is_faster && *each.predicted_s <= 1.03 * best) << to_string(each.way);
    EXPECT_EQ(each.rejected.ends_with("passed over for fewer rounds"), is_faster) << each.rejected;
    tied += each.rejected.starts_with("tied: ");
  }
  EXPECT_GT(tied, 0);
}

// A baseline is never taken where another way is as fast, and is marked.
TEST(Explain, MarksBaselinesAndTakesThemLast) {
  std::vector<Bytes> counts(16 * 16, 0);
  for (Rank rank = 0; rank < 16; ++rank) counts[index(16 * rank + (rank + 1) % 16)] = 8192;
  const Explanation told = explain(Problem::alltoallv(16, counts), {.preset = find_machine("sp2")}, {.seconds = 0});
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < told.ways.size(); ++i) {
    const std::string& name = told.ways[i].name;
    EXPECT_EQ(told.ways[i].is_baseline, name.starts_with("scan-two-phase") || name.starts_with("folded-four-stage")) << name;
    places.try_emplace(name.substr(0, name.find(':')), i);
  }
  EXPECT_LT(places.at("four-stage"), places.at("folded-four-stage")) << "their prices are the same on a full grid";
}

TEST(Explain, SaysWhatDoesNotApply) {
  const Explanation told = explain(Problem::alltoall(6, 64), dear(), {.seconds = 0});
  const auto xor_reason =
      std::find_if(told.do_not_apply.begin(), told.do_not_apply.end(), [](const auto& each) { return each.first == "xor"; });
  ASSERT_NE(xor_reason, told.do_not_apply.end());
  EXPECT_NE(xor_reason->second, "");
}

TEST(Explain, KnowsNothingWithoutKnowledge) {
  const Explanation told = explain(Problem::alltoall(6, 64), {}, {.seconds = 0});
  EXPECT_EQ(told.decision.source, Source::standard);
  EXPECT_FALSE(told.seconds());
  EXPECT_FALSE(told.bound.seconds);
  EXPECT_EQ(told.bound.rounds, 3);
}

TEST(Explain, RefusesAMachineByWhichPlansCannotChoose) {
  EXPECT_THROW(explain(Problem::alltoall(6, 64), {.preset = find_machine("paragon")}), Error) << "the network is not known";
  EXPECT_THROW(explain(Problem::alltoall(0, 64), {}), Error);
}

// Plans compare executors by max-rate. Machines without figures for it are priced by the model that knows most of the problem.
TEST(Explain, ChoosesByTheModelThatTheMachineHasFiguresFor) {
  const auto told = [](const char* machine, Problem problem, const std::optional<Topology>& topology = {}) {
    if (topology) problem.grid = topology->grid();
    return explain(problem, {.preset = find_machine(machine), .topology = topology}, {.seconds = 0});
  };
  const Topology torus = Topology::torus({8, 8});
  const Explanation on_torus = told("paragon", Problem::alltoall(64, 64), torus);
  EXPECT_EQ(on_torus.decision.model.model, find_model("torus"));
  EXPECT_THAT(on_torus.decision.model.reason, ::testing::HasSubstr("network"));
  EXPECT_EQ(way_text(on_torus.problem, on_torus.decision.chosen), "torus by messages");
  EXPECT_NEAR(*on_torus.seconds(), 6 * 75e-6 + 4096 * 0.011e-6 + 3 * 4096 * 0.014e-6, 1e-9);
  ASSERT_TRUE(on_torus.ways[0].parts);
  EXPECT_EQ(on_torus.ways[0].parts->startups, 6);
  EXPECT_NEAR(on_torus.ways[0].parts->copies_s, 3 * 4096 * 0.014e-6, 1e-9);
  ASSERT_TRUE(on_torus.bound.seconds);
  EXPECT_NEAR(*on_torus.bound.seconds, 3 * 75e-6 + 4096 * 0.011e-6, 1e-9) << "three rounds on four links, and what links carry";
  std::set<Executor> executors;
  for (const ExplainedWay& each : on_torus.ways)
    if (!each.considered.way.is_vendor()) executors.insert(each.considered.way.executor);
  EXPECT_EQ(executors, std::set{Executor::mpi}) << "the model compares none";
  EXPECT_EQ(told("sp2", on_nodes(Problem::alltoall(16, 64), 4)).decision.model.model, find_model("flat"));
  EXPECT_EQ(told("myrinet", on_nodes(Problem::alltoall(16, 64), 4)).decision.model.model, find_model("cluster"));
  EXPECT_EQ(told("sp1", Problem::alltoall(16, 64)).decision.model.model, find_model("linear"));
  EXPECT_EQ(told("hdr", Problem::alltoall(64, 64), torus).decision.model.model, find_model("loggp")) << "which counts links";
  EXPECT_EQ(told("hdr", Problem::alltoall(64, 64)).decision.preset, "hdr");
}

TEST(Explain, TellsWhatMpiLibrariesTake) {
  const Problem problem = on_nodes(Problem::alltoall(16, 64), 4);
  MachineKnowledge knowledge = dear();
  const auto of = [&](const std::string& title) -> std::optional<ExplainedVendor> {
    for (const ExplainedVendor& vendor : explain(problem, knowledge, {.seconds = 0}).vendors)
      if (vendor.title == title) return vendor;
    return std::nullopt;
  };
  const auto openmpi = of("Open MPI 4.1");
  ASSERT_TRUE(openmpi && of("Open MPI 5.0"));
  EXPECT_EQ(openmpi->algorithm, "modified_bruck");
  EXPECT_EQ(openmpi->equivalent, "bruck");
  EXPECT_FALSE(of("Open MPI 5.0")->is_checked);
  for (const ExplainedWay& way : explain(problem, knowledge, {.seconds = 0}).ways)
    if (way.name == "bruck" && way.considered.way.executor == Executor::mpi)
      EXPECT_DOUBLE_EQ(*openmpi->predicted_s, *way.considered.predicted_s);
  knowledge.wisdom.machine.mpi = "Open MPI 4.1.4";
  EXPECT_TRUE(of("Open MPI 4.1"));
  EXPECT_FALSE(of("Open MPI 5.0"));
  knowledge.has_mpi = false;
  EXPECT_FALSE(of("Open MPI 4.1"));
}

// A family that makes the schedules of an algorithm has the price of the algorithm.
TEST(Explain, ComparesFamiliesWithTheChosenWay) {
  const Problem problem = on_nodes(Problem::alltoall(16, 64), 4);
  const Family mine("mine", [](const Problem& asked) -> Result<Schedule> { return make_schedule(asked, "bruck"); });
  const Family none("none", [](const Problem&) -> Result<Schedule> { return cannot("not today"); });
  const Explanation told = explain(problem, dear(), {.seconds = 0, .families = {mine, none}});
  ASSERT_EQ(told.families.size(), 2u);
  const ExplainedFamily& family = told.families[0];
  EXPECT_EQ(family.name, "mine");
  std::optional<double> best;
  for (const ExplainedWay& way : told.ways)
    if (way.name == "bruck" && (!best || way.considered.predicted_s < best)) best = way.considered.predicted_s;
  EXPECT_EQ(family.predicted_s, best);
  ASSERT_TRUE(family.ratio && family.parts);
  EXPECT_DOUBLE_EQ(*family.ratio, *family.predicted_s / *told.seconds());
  EXPECT_FALSE(told.families[1].predicted_s);
  EXPECT_EQ(told.families[1].reason, "not today");
}

TEST(Explain, NamesWaysInWords) {
  const Problem problem = Problem::alltoall(8, 64);
  EXPECT_EQ(way_text(problem, {.algorithm = Vendor{}}), "the MPI library's own alltoall");
  EXPECT_EQ(way_text(problem, {.algorithm = parse_choice(problem, "bruck:radix=4"), .executor = Executor::shared}),
            "bruck:radix=4 by shared memory");
  EXPECT_THAT(
      way_text(problem, {.algorithm = parse_choice(problem, "bruck"), .policy = Policy::dataflow, .executor = Executor::mpi}),
      ::testing::StartsWith("bruck, dataflow, by "));
}

}  // namespace
}  // namespace quadrille

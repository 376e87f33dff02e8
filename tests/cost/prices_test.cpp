// SPDX-License-Identifier: BSD-3-Clause
// Compares prices with the papers' cost formulas, algorithm by algorithm, and with their tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"

namespace quadrille {
namespace {

Problem problem_of(Collective collective, Count ranks, Bytes bytes) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  if (collective != Collective::barrier) problem.block_bytes = bytes;
  return problem;
}

double priced(const Problem& problem, const std::string& specification, const char* model, const Coefficients& coefficients,
              const Topology* topology = nullptr) {
  const Model& formula = *find_model(model);
  const Workload work = workload(make_schedule(problem, specification), {.topology = topology, .nodes = formula.needs_nodes});
  EXPECT_TRUE(applies(formula, work)) << specification;
  return price_of(work, formula, coefficients).blocking_s * 1e6;  // in the units of the coefficients
}

// ts = 10^6, tw = 1: the digits of a price show its steps and its words.
const Coefficients plain{{"startup_us", 1e6}, {"transfer_us_per_byte", 1}, {"ports", 1}};
double linear(const Problem& problem, const std::string& specification, const Topology* topology = nullptr) {
  return priced(problem, specification, "linear", plain, topology);
}
double steps_and_words(double steps, double words) { return steps * 1e6 + words; }

TEST(LinearModel, PricesC1AndC2OfEverySchedule) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 2, 5, 8, 16}) {
      if (is_irregular(algorithm->collective)) continue;
      Problem problem = problem_of(algorithm->collective, p, 24);
      const Choice choice = parse_choice(problem, algorithm->id);
      if (!applies(problem, choice)) continue;
      const Schedule schedule = make_schedule(problem, choice);
      const Figures counted = figures(schedule);
      Coefficients ports = plain;
      ports["ports"] = static_cast<double>(std::max<Count>(1, counted.ports));
      EXPECT_NEAR(priced(problem, std::string(algorithm->id), "linear", ports),
                  steps_and_words(static_cast<double>(counted.c1), static_cast<double>(counted.c2)), 1e-3)
          << name(algorithm->collective) << '/' << algorithm->id << " among " << p;
    }
}

// [bruck1997], section 3.5: 29 us per message and 0.12 us per byte on 64 processors of an SP-1.
TEST(LinearModel, PricesTheIndexOperationOnTheSp1) {
  const Coefficients sp1 = find_machine("sp1").models.at("linear");
  const auto index = [&](Bytes bytes, Count radix) {
    return priced(Problem::alltoall(64, bytes), "bruck:radix=" + std::to_string(radix), "linear", sp1);
  };
  EXPECT_NEAR(index(64, 2), 1649, 0.5);
  EXPECT_NEAR(index(64, 8), 1266, 0.5);
  EXPECT_NEAR(index(64, 64), 2311, 0.5);
  EXPECT_LT(index(106, 2), index(106, 64));  // the break-even point is at 106.8 bytes
  EXPECT_GT(index(107, 2), index(107, 64));
  const auto best_of = [&](Bytes bytes, const std::vector<Count>& radices) {
    return *std::min_element(radices.begin(), radices.end(), [&](Count a, Count b) { return index(bytes, a) < index(bytes, b); });
  };
  std::vector<Count> all;
  for (Count radix = 2; radix <= 64; ++radix) all.push_back(radix);
  const std::vector<Count> powers{2, 4, 8, 16, 32, 64};
  const Bytes blocks[] = {16, 32, 64, 128, 256};
  const Count best_power[] = {4, 4, 8, 8, 64}, best[] = {3, 4, 8, 8, 63};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(best_of(blocks[i], powers), best_power[i]) << blocks[i];
    EXPECT_EQ(best_of(blocks[i], all), best[i]) << blocks[i];
  }
}

TEST(LinearModel, DistributesMessagesOverThePorts) {
  for (const Count k : {1, 2, 3, 7}) {
    Coefficients ports = plain;
    ports["ports"] = static_cast<double>(k);
    const double rounds = std::ceil(7.0 / static_cast<double>(k));
    EXPECT_NEAR(priced(Problem::alltoall(8, 6), "direct", "linear", ports),
                steps_and_words(rounds, std::max(6.0, std::ceil(42.0 / static_cast<double>(k)))), 1e-3);
  }
}

// The slides' table of costs, for p a power of two and a square.
TEST(LinearModel, PricesTheSlidesTable) {
  const Bytes m = 96;
  const auto words = static_cast<double>(m);
  using enum Collective;
  for (const Count p : {4, 16, 64}) {
    const auto n = static_cast<double>(p), d = std::log2(n), root = std::sqrt(n);
    const auto expect = [&](Collective collective, const char* specification, double steps, double in_words) {
      EXPECT_NEAR(linear(problem_of(collective, p, m), specification), steps_and_words(steps, in_words * words), 1e-3)
          << name(collective) << '/' << specification << " among " << p;
    };
    expect(broadcast, "binomial", d, d);
    expect(reduce, "binomial", d, d);
    expect(allgather, "ring", n - 1, n - 1);
    expect(allgather, "mesh", 2 * (root - 1), n - 1);
    expect(allgather, "recursive-doubling", d, n - 1);
    expect(allgather, "circulant", d, n - 1);
    expect(reduce_scatter, "ring", n - 1, n - 1);
    expect(reduce_scatter, "mesh", 2 * (root - 1), n - 1);
    expect(reduce_scatter, "recursive-halving", d, n - 1);
    expect(reduce_scatter, "circulant", d, n - 1);
    expect(allreduce, "recursive-doubling", d, d);
    expect(scan, "hypercube", d, d);
    expect(scan, "distance-doubling", d, d);
    expect(scatter, "binomial", d, n - 1);
    expect(gather, "binomial", d, n - 1);
    expect(alltoall, "ring", n - 1, n * (n - 1) / 2);
    expect(alltoall, "mesh", 2 * (root - 1), n * (root - 1));
    expect(alltoall, "hypercube", d, n / 2 * d);
    expect(alltoall, "xor", n - 1, n - 1);
    expect(alltoall, "shift", n - 1, n - 1);
    if (p > 16) continue;  // 96 bytes are divided into p pieces
    expect(allreduce, "circulant", 2 * d, 2 * (n - 1) / n);
    expect(broadcast, "scatter-allgather", 2 * d, 2 * (n - 1) / n);
    expect(reduce, "reduce-scatter-gather", 2 * d, 2 * (n - 1) / n);
  }
}

// The improved broadcast is faster if and only if m tw / ts > log p / (log p - 2 (p - 1) / p).
TEST(LinearModel, HasTheBreakEvenPointOfTheImprovedBroadcast) {
  for (const Count p : {4, 8, 16, 64}) {
    const auto n = static_cast<double>(p), d = std::log2(n);
    const double limit = d / (d - 2 * (n - 1) / n);  // in start-ups
    for (const double of_limit : {0.9, 1.1}) {
      const auto m = static_cast<Bytes>(std::llround(limit * of_limit * 64 * 1000 / 64)) * 64;
      const Coefficients costs{{"startup_us", 64000}, {"transfer_us_per_byte", 1}, {"ports", 1}};
      const Problem problem = problem_of(Collective::broadcast, p, m);
      EXPECT_EQ(priced(problem, "scatter-allgather", "linear", costs) < priced(problem, "binomial", "linear", costs), of_limit > 1)
          << p << ' ' << m;
    }
  }
}

// On a ring: a hypercube schedule, and pairwise exchanges whose messages take the shorter direction.
TEST(LinearModel, MultipliesTransferTimesByLinkSharing) {
  const std::tuple<Count, double, double> table[] = {{8, 15, 16}, {16, 57, 64}, {64, 869, 1024}};
  for (const auto& [p, by_xor, by_shift] : table) {
    const Topology ring = Topology::ring(p), cube = Topology::hypercube(p);
    const auto n = static_cast<double>(p);
    EXPECT_NEAR(linear(problem_of(Collective::allgather, p, 1), "recursive-doubling", &ring),
                steps_and_words(std::log2(n), (n * n - 1) / 3), 1e-3);
    EXPECT_NEAR(linear(Problem::alltoall(p, 1), "xor", &ring), steps_and_words(n - 1, by_xor), 1e-3);
    EXPECT_NEAR(linear(Problem::alltoall(p, 1), "shift", &ring), steps_and_words(n - 1, by_shift), 1e-3);
    EXPECT_NEAR(linear(Problem::alltoall(p, 1), "xor", &cube), steps_and_words(n - 1, n - 1), 1e-3)
        << "E-cube routing is free of contention";
  }
}

// [liu2005], table II and the figures for the Paragon, which are computed from it.
TEST(TorusModel, IsTheTotalCostOfTheTorusExchange) {
  const Coefficients paragon = find_machine("paragon").models.at("torus");
  const auto total = [&](Count side, Bytes bytes) {
    const Topology torus = Topology::torus({side, side});
    Problem problem = Problem::alltoall(side * side, bytes);
    problem.grid = {side, side};
    return priced(problem, "torus:kernel=sr,order=at2", "torus", paragon, &torus);
  };
  for (int d = 2; d <= 4; ++d)
    for (const Bytes m : {8, 64, 1024}) {
      const double startups = std::exp2(d - 1) + 2, c2 = std::exp2(3 * d - 3), rearranged = 3 * std::exp2(2 * d);
      EXPECT_NEAR(total(Count{1} << d, m), startups * 75 + static_cast<double>(m) * (c2 * 0.011 + rearranged * 0.014), 1e-6)
          << d << ' ' << m;
    }
  EXPECT_NEAR(total(16, 64), 1799, 0.5);
  EXPECT_NEAR(total(16, 1024), 17527, 0.5);
  EXPECT_NEAR(total(64, 64), 36629, 0.5);
}

// The split exchange on any torus works dimension by dimension, with a different route for each part of a block. It
// takes k floor(N / 2) start-ups, the lower bound on the links, and a pass over all blocks before each of its k
// phases.
TEST(TorusModel, IsTheTotalCostOfTheSplitExchange) {
  const Coefficients costs{{"startup_us", 1e6}, {"wire_us_per_byte", 1}, {"rearrange_us_per_byte", 1e3}};
  const std::tuple<std::vector<Count>, double, double> table[] = {{{3, 3}, 2, 3},     {{5, 5}, 4, 15},    {{7, 9}, 8, 70},
                                                                  {{4, 4, 4}, 6, 32}, {{3, 4, 5}, 6, 36}, {{8}, 4, 8}};
  for (const auto& [sides, startups, blocks] : table) {
    const Topology torus = Topology::torus(sides);
    Problem problem = Problem::alltoall(torus.ranks(), 48);
    problem.grid = sides;
    EXPECT_NEAR(priced(problem, "torus:order=dimension-split", "torus", costs, &torus),
                startups * 1e6 + blocks * 48 + static_cast<double>(sides.size()) * static_cast<double>(torus.ranks()) * 48 * 1e3,
                1e-3)
        << torus.name();
  }
}

TEST(TorusModel, NeedsLinksAndCountsTheMessagesOnEach) {
  const Model& torus = *find_model("torus");
  EXPECT_NE(applies(torus, workload(make_schedule(Problem::alltoall(4, 1), "shift"))).error().find("--topology"),
            std::string::npos);
  const Coefficients costs{{"startup_us", 1e6}, {"wire_us_per_byte", 0}, {"rearrange_us_per_byte", 0}};
  const Topology ring = Topology::ring(8), full = Topology::full(8);
  EXPECT_NEAR(priced(Problem::alltoall(8, 1), "direct", "torus", costs, &ring), 4e6, 1e-3) << "seven messages on two links";
  EXPECT_NEAR(priced(Problem::alltoall(8, 1), "direct", "torus", costs, &full), 1e6, 1e-3) << "seven messages on seven links";
}

Problem on_nodes(const std::vector<Count>& sizes, Bytes bytes) {
  Problem problem = Problem::alltoall(std::accumulate(sizes.begin(), sizes.end(), Count{0}), bytes);
  for (std::size_t node = 0; node < sizes.size(); ++node)
    problem.nodes.insert(problem.nodes.end(), static_cast<std::size_t>(sizes[node]), static_cast<Count>(node));
  return problem;
}

Coefficients nodes_with_ports(double ports) {
  return {
      {"startup_us", 1e6}, {"transfer_us_per_byte", 1}, {"inside_startup_us", 0}, {"inside_us_per_byte", 0}, {"node_ports", ports}};
}

// T = steps (alpha + beta m) if messages within nodes cost nothing: the steps between nodes of the table.
TEST(ClusterModel, PricesTheStepsOfTheHierarchicalExchange) {
  const Coefficients costs = nodes_with_ports(1);
  const std::pair<std::vector<Count>, double> table[] = {{{1, 2, 3}, 11},           {{2, 2}, 4},           {{4, 4, 4}, 48},
                                                         {{4, 4, 4, 4, 4, 4}, 80},  {{3, 3, 3, 2}, 27},    {{8, 8, 8, 5}, 192},
                                                         {{1, 1, 1, 8}, 24},        {{4, 3, 2, 1}, 27},    {{2, 5, 2, 5, 3}, 75},
                                                         {{1, 2, 3, 4, 5, 6}, 100}, {{16, 16, 12, 4}, 640}};
  for (const auto& [sizes, steps] : table)
    EXPECT_NEAR(priced(on_nodes(sizes, 100), "clustered:mode=inter", "cluster", costs), steps * (1e6 + 100), 1e-2) << steps;
}

// Steps of seven nodes of four ranks: as many as with one port if a node has one exchange at a time, fewer if it has
// two.
TEST(ClusterModel, RunsAsManyExchangesAtATimeAsANodeHasPorts) {
  const std::tuple<const char*, double, double> table[] = {{"clustered", 112, 112},
                                                           {"clustered:decomposition=permutations", 96, 96},
                                                           {"clustered:degree=2", 112, 64},
                                                           {"clustered:degree=2,decomposition=permutations", 96, 48},
                                                           {"clustered:adapters=2", 104, 52}};
  for (const auto& [specification, on_one, on_two] : table) {
    EXPECT_NEAR(priced(on_nodes(std::vector<Count>(7, 4), 100), specification, "cluster", nodes_with_ports(1)),
                on_one * (1e6 + 100), 1e-2)
        << specification;
    EXPECT_NEAR(priced(on_nodes(std::vector<Count>(7, 4), 100), specification, "cluster", nodes_with_ports(2)),
                on_two * (1e6 + 100), 1e-2)
        << specification;
  }
  // Messages are not divided among ports, so the longest one takes its full time. Node 0 sends 100 and 10 bytes, in 2
  // of 3 rounds.
  EXPECT_NEAR(priced(on_nodes({1, 1, 1}, 100), "direct", "cluster", nodes_with_ports(2)), 1e6 + 100, 1e-2);
  EXPECT_NEAR(priced(on_nodes({1, 1, 1, 1}, 100), "direct", "cluster", nodes_with_ports(2)), 2e6 + 150, 1e-2);
  Problem uneven = Problem::alltoallv(3, {{0, 1, 100}, {0, 2, 10}});
  uneven.nodes = {0, 1, 2};
  EXPECT_NEAR(priced(uneven, "direct", "cluster", nodes_with_ports(2)), 1e6 + 100, 1e-2);
}

// About (N - 1) alpha + beta m n (p - n) for N nodes of n ranks, N even.
TEST(ClusterModel, PricesCombinedMessages) {
  const Coefficients costs = nodes_with_ports(1);
  for (const auto& [nodes, size] : {std::pair<Count, Count>{2, 3}, {4, 4}, {6, 2}}) {
    const Count p = nodes * size;
    EXPECT_NEAR(priced(on_nodes(std::vector<Count>(static_cast<std::size_t>(nodes), size), 10), "combined", "cluster", costs),
                static_cast<double>(nodes - 1) * 1e6 + static_cast<double>(10 * size * (p - size)), 1e-2);
  }
}

TEST(ClusterModel, ChargesMessagesWithinNodesOnlyIfNothingElseHappens) {
  const Coefficients costs{
      {"startup_us", 0}, {"transfer_us_per_byte", 0}, {"inside_startup_us", 1e6}, {"inside_us_per_byte", 1}, {"node_ports", 1}};
  // Two nodes of four ranks: three rounds of the last stage are within nodes.
  EXPECT_NEAR(priced(on_nodes({4, 4}, 10), "clustered:mode=inter", "cluster", costs), 3 * (1e6 + 10), 1e-2);
  const Workload flat = workload(make_schedule(Problem::alltoall(4, 1), "shift"), {.nodes = true});
  EXPECT_NE(applies(*find_model("cluster"), flat).error().find("--node-sizes"), std::string::npos);
}

// A message of m bytes takes o + (m - 1) G + L + o; n messages from one rank take (n - 1) max(g, o) more.
TEST(LogGpModel, IsItsFormulas) {
  const Coefficients costs{{"latency_us", 1000}, {"overhead_us", 30}, {"gap_us", 50}, {"gap_us_per_byte", 0.5}, {"ports", 1}};
  for (const Count p : {2, 5, 8}) {
    const auto n = static_cast<double>(p);
    EXPECT_NEAR(priced(Problem::alltoall(p, 11), "shift", "loggp", costs), (n - 1) * (1060 + 10 * 0.5), 1e-6);
    EXPECT_NEAR(priced(problem_of(Collective::scatter, p, 11), "linear", "loggp", costs), 1060 + (n - 2) * 50 + (n - 1) * 10 * 0.5,
                1e-6);
    EXPECT_NEAR(priced(Problem::alltoall(p, 11), "direct", "loggp", costs), 1060 + (n - 2) * 60 + (n - 1) * 10 * 0.5, 1e-6)
        << "a rank that sends and receives has two overheads a message";
  }
  EXPECT_NEAR(priced(problem_of(Collective::broadcast, 8, 1), "binomial", "loggp", costs), 3 * 1060, 1e-6);
}

// With factors of 1 and no fixed time, it is the linear model. The fixed time is paid once, whatever the number of
// stages.
TEST(FittedModel, IsTheLinearOneWithFactors) {
  const Coefficients linear{{"startup_us", 29}, {"transfer_us_per_byte", 0.12}, {"ports", 1}},
      same{{"startup_us", 29}, {"transfer_us_per_byte", 0.12}, {"startup_factor", 1}, {"byte_factor", 1}, {"fixed_us", 0}},
      fitted{{"startup_us", 29}, {"transfer_us_per_byte", 0.12}, {"startup_factor", 1.5}, {"byte_factor", 2}, {"fixed_us", 100}};
  for (const char* specification : {"bruck:radix=2", "bruck:radix=8", "bruck:radix=64", "mesh:rows=8"}) {
    SCOPED_TRACE(specification);
    const Figures counted = figures(make_schedule(Problem::alltoall(64, 32), specification));
    EXPECT_NEAR(priced(Problem::alltoall(64, 32), specification, "fitted", same),
                priced(Problem::alltoall(64, 32), specification, "linear", linear), 1e-6);
    EXPECT_NEAR(priced(Problem::alltoall(64, 32), specification, "fitted", fitted),
                1.5 * 29 * static_cast<double>(counted.c1) + 2 * 0.12 * static_cast<double>(counted.c2) + 100, 1e-6);
  }
}

TEST(FlatModel, AddsAllPartsIfNothingOverlaps) {
  const Workload work = workload(make_schedule(Problem::alltoall(8, 1000), "shift"));
  const Model& flat = *find_model("flat");
  const Price cm5 = price_of(work, flat, find_machine("cm5")), sp2 = price_of(work, flat, find_machine("sp2"));
  EXPECT_DOUBLE_EQ(cm5.nonblocking_s, cm5.blocking_s);
  EXPECT_LT(sp2.nonblocking_s, sp2.blocking_s);
  EXPECT_NEAR(cm5.blocking_s, 7 * (85e-6 + 1000 * 0.12e-6), 1e-12);
}

// Only the longest part of each stage is charged. The first stage has three rounds; in the second, packing hides
// everything else.
TEST(OverlappedPrices, AddUpTheLongestPartOfEachStage) {
  const auto sum_of = [](const std::vector<PriceTerm>& terms) {
    double sum = 0;
    for (const PriceTerm& term : terms) sum += term.seconds;
    return sum;
  };
  const Coefficients costs{{"startup_us", 100},     {"compose_us_per_byte", 0.25}, {"copy_us_per_byte", 0.5},
                           {"wire_us_per_byte", 2}, {"blocking_contention", 3},    {"contention", 1.5},
                           {"overlap", 1}};
  const auto stage = [](Count startups, Bytes bytes) {
    return StageFigures{.startups = startups, .messages = startups, .volume = bytes, .wire = bytes, .load = bytes};
  };
  // First stage: start-ups 300, packing 10, copying 20, wire 120. Second stage: 100, 250, 500, 3000.
  const Workload work{.stages = {stage(3, 40), stage(1, 1000)}, .is_exchange = true};
  const Price price = price_of(work, *find_model("free-running"), costs);
  const auto expect = [&](const std::vector<PriceTerm>& terms, const std::vector<std::pair<Count, double>>& amounts) {
    ASSERT_EQ(terms.size(), amounts.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      EXPECT_EQ(terms[i].amount, amounts[i].first) << terms[i].name;
      EXPECT_NEAR(terms[i].seconds * 1e6, amounts[i].second, 1e-6) << terms[i].name;
    }
  };
  expect(price.nonblocking, {{3, 300}, {1040, 260}, {0, 0}, {1000, 3000}});
  expect(price.dataflow, {{3, 300}, {40, 10}, {0, 0}, {1000, 3000}});
  EXPECT_EQ(&price.terms_of(Policy::blocking), &price.terms);
  for (const char* specification : {"grid", "four-stage", "shift"})
    for (const char* model : {"flat", "free-running"}) {
      const Price other =
          price_of(workload(make_schedule(make_traffic(16, {.kind = TrafficKind::transpose, .most = 4096}), specification)),
                   *find_model(model), costs);
      for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
        EXPECT_NEAR(sum_of(other.terms_of(policy)), other.seconds(policy), 1e-12) << specification << ' ' << model;
    }
}

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

TEST(Models, HaveAnIdACitedFormulaAndUnits) {
  for (const Model* model : all_models()) {
    EXPECT_EQ(find_model(model->id), model);
    EXPECT_FALSE(model->formula.empty() || model->source.empty() || model->coefficients.empty());
    for (const Coefficient& coefficient : model->coefficients) EXPECT_FALSE(coefficient.meaning.empty()) << coefficient.key;
  }
  EXPECT_EQ(find_model("postal"), nullptr);
  const Workload work = workload(make_schedule(Problem::alltoall(4, 1), "shift"));
  EXPECT_THROW(price_of(work, *find_model("loggp"), find_machine("sp2")), Error);
}

// Prices every algorithm of the table with every model: the terms add up, and a network without shared links changes
// nothing.
TEST(Models, PriceEveryAlgorithm) {
  Coefficients any;
  for (const Model* model : all_models())
    for (const Coefficient& coefficient : model->coefficients) any[std::string(coefficient.key)] = 1;
  const Topology torus = Topology::torus({4, 4});
  for (const Algorithm* algorithm : all_algorithms()) {
    Problem problem = problem_of(algorithm->collective, 16, 24);
    if (is_irregular(algorithm->collective)) {
      problem.block_bytes = 0;
      problem.counts = std::make_shared<const std::vector<Bytes>>(algorithm->collective == Collective::alltoallv ? 256 : 16, 24);
    }
    problem.grid = {4, 4};
    for (Count rank = 0; rank < 16; ++rank) problem.nodes.push_back(rank / 4);
    if (!applies(problem, parse_choice(problem, algorithm->id))) continue;
    const Schedule schedule = make_schedule(problem, algorithm->id);
    const Workload work = workload(schedule, {.topology = &torus, .nodes = true});
    for (const Model* model : all_models()) {
      if (!applies(*model, work)) continue;  // the model may be for exchanges only
      const Price price = price_of(work, *model, any);
      double sum = 0;
      for (const PriceTerm& term : price.terms) sum += term.seconds;
      const std::string place =
          std::string(name(algorithm->collective)) + '/' + std::string(algorithm->id) + ' ' + std::string(model->id);
      EXPECT_GT(price.blocking_s, 0) << place;
      EXPECT_LE(price.nonblocking_s, price.blocking_s * (1 + 1e-12)) << place;
      if (model->table() != "flat") {
        EXPECT_DOUBLE_EQ(sum, price.blocking_s) << place;
      } else {
        EXPECT_NEAR(sum, price.blocking_s, 1e-9 * sum) << place;
      }
    }
  }
}

TEST(Workload, IsTheSameBySymmetryAndFromAllRanks) {
  for (const char* specification : {"shift", "bruck:radix=3", "torus", "xor"}) {
    Schedule schedule = make_schedule(Problem::alltoall(16, 12), specification);
    const Workload by_symmetry = workload(schedule);
    ASSERT_TRUE(schedule.symmetry.has_value()) << specification;
    schedule.symmetry.reset();
    const Workload by_all = workload(schedule);
    ASSERT_EQ(by_symmetry.stages.size(), by_all.stages.size());
    for (std::size_t i = 0; i < by_all.stages.size(); ++i) {
      EXPECT_EQ(by_symmetry.stages[i].startups, by_all.stages[i].startups) << specification;
      EXPECT_EQ(by_symmetry.stages[i].volume, by_all.stages[i].volume) << specification;
      EXPECT_EQ(by_symmetry.stages[i].load, by_all.stages[i].load) << specification;
      EXPECT_EQ(by_symmetry.stages[i].in_pieces, by_all.stages[i].in_pieces) << specification;
    }
    EXPECT_EQ(by_symmetry.held, by_all.held);
  }
}

TEST(Workload, RefusesSumsOfTwoToThe63AndMore) {
  const Topology ring = Topology::ring(8);
  const Problem problem = Problem::alltoall(8, Bytes{1} << 56);
  const Workload work = workload(make_schedule(problem, "ring"));
  EXPECT_GT(
      price_of(work, *find_model("linear"), Coefficients{{"startup_us", 1}, {"transfer_us_per_byte", 1e-6}, {"ports", 1}}).blocking,
      0);
  EXPECT_THROW(price_of(work, *find_model("linear"), plain), Error) << "more than 106 days";
  EXPECT_THROW(workload(make_schedule(Problem::alltoall(4, 8), "shift"), {.topology = &ring}), Error) << "another number of ranks";
  Workload shared = workload(make_schedule(problem, "shift"), {.topology = &ring});
  for (RoundFigures& round : shared.stages.at(0).rounds) round.sharing = 256;
  EXPECT_THROW(price_of(shared, *find_model("linear"), plain), Error);
  EXPECT_THROW(price_of(shared, *find_model("torus"),
                        Coefficients{{"startup_us", 1}, {"wire_us_per_byte", 1}, {"rearrange_us_per_byte", 1}}),
               Error);
}

}  // namespace
}  // namespace quadrille

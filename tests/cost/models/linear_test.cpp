// SPDX-License-Identifier: BSD-3-Clause
// The linear model: prices of every schedule from its figures, and the tables and break-even points of the papers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "quadrille/cost.hpp"
#include "support/priced.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

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
      if (algorithm->id == "linear-sync") continue;  // C1 leaves out its rounds with control messages, which have a price
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

}  // namespace
}  // namespace quadrille

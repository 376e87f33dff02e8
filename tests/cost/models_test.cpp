// SPDX-License-Identifier: BSD-3-Clause
// The table of models, and what holds for each of them.
#include "quadrille/model.hpp"

#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

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

TEST(Models, WithoutTimesOfMessagesNameThoseThatHaveThem) {
  for (const Model* model : all_models()) {
    if (model->times_of_message) continue;
    try {
      message_times(*model, Coefficients{});
      ADD_FAILURE() << model->id;
    } catch (const Error& error) {
      for (const Model* other : all_models())
        if (other->times_of_message)
          EXPECT_NE(std::string(error.what()).find(other->id), std::string::npos) << other->id << ": " << error.what();
    }
  }
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

TEST(Price, IsBestUnderTheSimplestOfTheFastestPolicies) {
  EXPECT_EQ((Price{.blocking_s = 2, .nonblocking_s = 2, .dataflow_s = 2}).best_policy(), Policy::blocking);
  EXPECT_EQ((Price{.blocking_s = 2, .nonblocking_s = 1, .dataflow_s = 1}).best_policy(), Policy::nonblocking);
  EXPECT_EQ((Price{.blocking_s = 2, .nonblocking_s = 1, .dataflow_s = 0.5}).best_policy(), Policy::dataflow);
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/model_choice.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quadrille {
namespace {

using ::testing::HasSubstr;

// A machine with figures for these models. Their values do not matter.
MachineCosts machine_with(const std::vector<std::string>& models) {
  MachineCosts machine{.name = "some", .description = "made for a test", .source = "nobody"};
  for (const std::string& model : models) machine.models[model] = {};
  return machine;
}

const MachineCosts all_but_torus = machine_with({"max-rate", "cluster", "flat", "free-running", "loggp", "linear", "fitted"});
const MachineCosts all = machine_with({"max-rate", "torus", "cluster", "flat", "free-running", "loggp", "linear", "fitted"});

std::string_view chosen(const MachineCosts& machine, const PricingFacts& facts) { return choose_model(machine, facts)->model->id; }

TEST(ModelChoice, TakesTheModelThatCountsWhatIsKnown) {
  EXPECT_EQ(chosen(all, {}), "max-rate");
  EXPECT_EQ(chosen(all, {.has_links = true}), "torus");
  EXPECT_EQ(chosen(all_but_torus, {.has_links = true}), "flat");
  EXPECT_EQ(chosen(all, {.has_nodes = true}), "max-rate");
  EXPECT_EQ(chosen(machine_with({"cluster", "linear"}), {.has_nodes = true}), "cluster");
  EXPECT_EQ(chosen(machine_with({"cluster", "linear"}), {}), "linear");
  EXPECT_EQ(chosen(machine_with({"linear", "loggp"}), {}), "loggp");
  EXPECT_EQ(chosen(machine_with({"free-running", "linear"}), {.is_exchange = true}), "free-running");
  EXPECT_EQ(chosen(machine_with({"free-running", "linear"}), {}), "linear");
}

TEST(ModelChoice, TakesMaxRateOnANetworkIfNoOtherModelHasFigures) {
  EXPECT_EQ(chosen(machine_with({"max-rate"}), {.has_links = true}), "max-rate");
  EXPECT_EQ(chosen(all, {.has_links = true, .has_nodes = true}), "max-rate");
}

TEST(ModelChoice, SaysWhereAModelHasTheRanks) {
  const auto place = [](std::string_view model, std::vector<Count> nodes) {
    Problem problem = Problem::alltoall(6, 8);
    problem.nodes = std::move(nodes);
    return fmt::format("{}: {}", nodes_in(*find_model(model), problem), place_text(*find_model(model), problem));
  };
  EXPECT_EQ(place("max-rate", {}), "1: one node");
  EXPECT_EQ(place("max-rate", {7, 7, 7, 7, 7, 7}), "1: one node");
  EXPECT_EQ(place("max-rate", {0, 1, 2, 0, 1, 2}), "3: 3 nodes, 2 ranks each");
  EXPECT_EQ(place("max-rate", {0, 1, 1, 1, 3, 3}), "3: 3 nodes, 1 to 3 ranks each");
  EXPECT_EQ(place("cluster", {0, 1, 1, 1, 1, 1}), "2: 2 nodes, 1 or 5 ranks each");
  EXPECT_EQ(place("max-rate", {0, 1, 2, 3, 4, 5}), "6: 6 nodes, one rank each");
  for (const char* model : {"loggp", "linear", "flat", "torus"}) {
    EXPECT_EQ(place(model, {}), "6: 6 nodes, one rank each") << model;
    EXPECT_EQ(place(model, {0, 0, 0, 1, 1, 1}), "6: 6 nodes, one rank each") << model;
  }
}

TEST(ModelChoice, SaysWhy) {
  EXPECT_THAT(choose_model(all, {.has_links = true})->reason, HasSubstr("links"));
  EXPECT_THAT(choose_model(machine_with({"cluster"}), {.has_nodes = true})->reason, HasSubstr("exchanges"));
  EXPECT_THAT(choose_model(all, {.has_links = true, .has_nodes = true})->reason, HasSubstr("does not count the links"));
  EXPECT_THAT(choose_model(machine_with({"linear"}), {.has_nodes = true})->reason, HasSubstr("does not count what nodes share"));
  EXPECT_THAT(choose_model(machine_with({"linear"}), {})->reason, HasSubstr("machine some has figures"));
  const auto none = choose_model(machine_with({"torus"}), {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), HasSubstr("--topology"));
  const auto refused = choose_model(all, {}, [](const Model&) -> Result<> { return cannot("it does not suit"); });
  EXPECT_THAT(refused.error(), HasSubstr("it does not suit"));
}

TEST(ModelChoice, KnowsTheFactsOfAProblem) {
  Problem problem = Problem::broadcast(4, 8, 0);
  const Topology ring = Topology::ring(4);
  EXPECT_FALSE(pricing_facts(problem).has_links);
  EXPECT_TRUE(pricing_facts(problem, &ring).has_links);
  EXPECT_FALSE(pricing_facts(problem).is_exchange);
  EXPECT_TRUE(pricing_facts(Problem::alltoall(4, 8)).is_exchange);
  problem.nodes = {0, 0, 0, 0};
  EXPECT_FALSE(pricing_facts(problem).has_nodes);
  problem.nodes = {0, 0, 0, 1};
  EXPECT_TRUE(pricing_facts(problem).has_nodes);
}

}  // namespace
}  // namespace quadrille

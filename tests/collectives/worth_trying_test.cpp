// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms searches try as parts of others: those whose records say so.
#include "collectives/worth_trying.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

// The values that a search tries for a parameter of an algorithm, as text.
std::vector<std::string> tried(const Problem& problem, std::string_view id, std::string_view parameter) {
  const Algorithm& algorithm = *find_algorithm(problem.collective, id);
  const auto found = std::find_if(algorithm.parameters.begin(), algorithm.parameters.end(),
                                  [&](const Parameter& each) { return each.name == parameter; });
  const Choice standard = completed(problem, {.algorithm = &algorithm, .parameters = {}});
  std::vector<std::string> texts;
  for (const ParameterValue& value : found->worth_trying(problem, standard.parameters))
    texts.push_back(std::get<std::string>(value));
  return texts;
}

Problem on_nodes(Problem problem, Count ranks_of_node) {
  for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / ranks_of_node);
  return problem;
}

TEST(Parts, BetweenNodesAreThoseOfTheRecordsAndTheDefaultComesFirst) {
  EXPECT_THAT(tried(on_nodes(Problem::broadcast(8, 64), 2), "hierarchical", "between"),
              ElementsAre("binomial", "chain", "chain:segments=16", "circulant:segments=16"));
  EXPECT_THAT(tried(on_nodes(Problem::allgather(8, 64), 2), "hierarchical", "between"), ElementsAre("circulant", "direct", "ring"));
  EXPECT_THAT(tried(on_nodes(Problem::scan(8, 64), 2), "hierarchical", "between"), ElementsAre("distance-doubling", "direct"));
}

TEST(Parts, BetweenNodesDependOnTheOrderOfOperands) {
  const Problem any = on_nodes(Problem::allreduce(8, 64), 2),
                in_order = on_nodes(Problem::allreduce(8, 64, {.commutative = false}), 2);
  EXPECT_THAT(tried(any, "hierarchical", "between"), UnorderedElementsAre("recursive-doubling", "circulant", "ring"));
  EXPECT_THAT(tried(in_order, "hierarchical", "between"),
              IsSupersetOf({"recursive-doubling", "direct", "reduce-scatter-allgather:scatter=direct"}));
}

TEST(Parts, WithSharesAreThoseOfTheRecordsAndTheDefaultComesFirst) {
  EXPECT_THAT(tried(Problem::allreduce(6, 64), "reduce-scatter-allgather", "scatter"), ElementsAre("circulant", "ring", "direct"));
  EXPECT_THAT(tried(Problem::allreduce(8, 64), "reduce-scatter-allgather", "scatter"),
              ElementsAre("recursive-halving", "ring", "circulant", "direct"));
  EXPECT_THAT(tried(Problem::allreduce(8, 64), "reduce-scatter-allgather", "gather"),
              ElementsAre("recursive-doubling", "direct", "ring", "circulant"));
}

// A record that names settings which its algorithm does not have would never be tried.
TEST(Parts, HaveSettingsThatTheirAlgorithmsTake) {
  int parts = 0;
  for (const Algorithm* algorithm : all_algorithms())
    for (const Problem& problem : problems_of(algorithm->collective, 8, 64))
      for (const PartSettings tried : {algorithm->tried_between_nodes, algorithm->tried_with_shares})
        if (tried)
          for (const std::string_view settings : tried(problem)) {
            const std::string part = std::string(algorithm->id) + (settings.empty() ? "" : ":") + std::string(settings);
            EXPECT_NO_THROW(parse_choice(problem, part)) << name(problem.collective) << "/" << part;
            ++parts;
          }
  EXPECT_GE(parts, 20);
}

// The parts that a user names need no entry in a list.
TEST(Parts, WithSharesMayBeAnyAlgorithm) {
  const Problem problem = Problem::allreduce(8, 64);
  EXPECT_EQ(verify(make_schedule(problem, "reduce-scatter-allgather:gather=(concatenation:ports=3)")).size(), 0u);
  const auto unknown = applies(problem, parse_choice(problem, "reduce-scatter-allgather:scatter=rign"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), "there is no reduce_scatterv algorithm 'rign'; did you mean 'ring'?");
}

// Searches try all words of a parameter, unless there is a reason.
TEST(WorthTrying, LeavesOutWordsOnlyForAReason) {
  const std::map<std::string_view, std::string_view> reasons{
      {"broadcast", "binomial parts have fewer start-ups, and no more bytes at any rank"},
      {"gather", "likewise"},
      {"reduce", "likewise"},
      {"scatter", "likewise"},
      {"factor", "concentrated has the fewer rounds, and is required by some modes"},
      {"first", "near and far ranks get as many messages and bytes (knomial)"},
      {"form", "classical has the same messages, and more copies"},
      {"kernel", "ar has no fewer bytes or rounds than sr"},
      {"mode", "exchange and paper are variants for comparison with the paper; they have no fewer exchanges between nodes"},
      {"sides", "none is its only word"},
      {"split", "paper is less balanced than chain"},
      {"within", "too many combinations; within a node messages cost little"}};
  std::set<std::string_view> left_out;
  for (const Algorithm* algorithm : all_algorithms())
    for (const Parameter& parameter : algorithm->parameters)
      if (!parameter.choices.empty() && !parameter.worth_trying) left_out.insert(parameter.name);
  for (const std::string_view name : left_out) EXPECT_TRUE(reasons.contains(name)) << name;
  for (const auto& [name, reason] : reasons) EXPECT_TRUE(left_out.contains(name)) << name << ": " << reason;
}

TEST(WorthTrying, OfATorusAreBothOrders) {
  Problem problem = Problem::alltoall(32, 8);
  problem.grid = {4, 8};
  EXPECT_THAT(tried(problem, "torus", "order"), ElementsAre("at2", "dimension-split"));
  problem.grid = {2, 4, 4};
  EXPECT_THAT(tried(problem, "torus", "order"), ElementsAre("dimension-split"));
}

}  // namespace
}  // namespace quadrille

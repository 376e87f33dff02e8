// SPDX-License-Identifier: BSD-3-Clause
// The algorithms `hierarchical`: all divisions of few ranks into nodes, all lanes, and the algorithms of the table as parts.
#include <gtest/gtest.h>

#include "problem/node_ranks.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

std::vector<const Algorithm*> hierarchical_algorithms() {
  std::vector<const Algorithm*> found;
  for (const Algorithm* algorithm : all_algorithms())
    if (algorithm->id == "hierarchical") found.push_back(algorithm);
  return found;
}

// All partitions of a set of ranks into nodes, as restricted growth strings.
std::vector<std::vector<Count>> set_partitions(Count ranks) {
  std::vector<std::vector<Count>> all{{}};
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<std::vector<Count>> longer;
    for (const std::vector<Count>& nodes : all) {
      const Count used = nodes.empty() ? 0 : *std::max_element(nodes.begin(), nodes.end()) + 1;
      for (Count node = 0; node <= used; ++node) {
        longer.push_back(nodes);
        longer.back().push_back(node);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// All divisions into nodes of consecutive ranks.
std::vector<std::vector<Count>> consecutive_nodes(Count ranks) {
  std::vector<std::vector<Count>> all;
  for (Count cuts = 0; cuts < Count{1} << (ranks - 1); ++cuts) {
    std::vector<Count>& nodes = all.emplace_back(1, 0);
    for (Rank rank = 1; rank < ranks; ++rank) nodes.push_back(nodes.back() + (cuts >> (rank - 1) & 1));
  }
  return all;
}

void expect_right(const Problem& problem, const std::string& specification) {
  const Choice choice = parse_choice(problem, specification);
  const NodeRanks nodes(problem);
  if (const auto applicable = applies(problem, choice); !applicable) {
    const bool may_be_refused = nodes.node_count() == 1 || nodes.largest() == 1 || is_reduction(problem.collective);
    EXPECT_TRUE(may_be_refused) << applicable.error();
    return;
  }
  const Schedule schedule = make_schedule(problem, choice);
  SCOPED_TRACE(quadrille::specification(schedule) + ", " + description(problem));
  for (const Finding& finding : verify(schedule)) ADD_FAILURE() << to_string(finding);
  EXPECT_EQ(judge(schedule), "");
}

void expect_right_with_all_lanes(const Algorithm& algorithm, Problem problem, const std::vector<Count>& nodes) {
  problem.nodes = nodes;
  const bool has_lanes = algorithm.parameters.front().name == "lanes";
  const Count most = has_lanes ? algorithm.parameters.front().most(problem) : 1;
  for (Count lanes = 1; lanes <= most; ++lanes)
    expect_right(problem, has_lanes ? fmt::format("hierarchical:lanes={}", lanes) : "hierarchical");
}

// The first number of each case is that of the ranks, the others are the sizes of consecutive nodes.
TEST(Hierarchical, KeepsTheOrderOfOperandsWhereNodesAllowIt) {
  const auto keeps = [](Collective collective, std::vector<Count> nodes, bool reproducible) {
    Problem problem = with_elements_of(problem_of(collective, size(nodes), 3), 4);
    problem.commutative = false;
    problem.reproducible = reproducible;
    problem.nodes = std::move(nodes);
    return applies(problem, parse_choice(problem, "hierarchical")).has_value();
  };
  for (const Collective collective : {Collective::reduce, Collective::allreduce, Collective::reduce_scatter}) {
    EXPECT_TRUE(keeps(collective, {0, 0, 0, 1, 1}, false)) << name(collective);
    EXPECT_FALSE(keeps(collective, {0, 1, 0, 1, 1}, false)) << name(collective) << ": the ranks of a node are not consecutive";
    EXPECT_TRUE(keeps(collective, {0, 0, 1, 1, 2}, true)) << name(collective) << ": the last node may be smaller";
    EXPECT_FALSE(keeps(collective, {0, 0, 0, 1, 1}, true)) << name(collective) << ": three is not a power of two";
    EXPECT_FALSE(keeps(collective, {0, 1, 1, 2, 2}, true)) << name(collective) << ": only the last node may be smaller";
  }
  for (const Collective collective : {Collective::scan, Collective::exscan}) {
    EXPECT_TRUE(keeps(collective, {0, 0, 0, 1, 1}, false)) << name(collective);
    EXPECT_FALSE(keeps(collective, {0, 1, 0, 1, 1}, false)) << name(collective);
    EXPECT_TRUE(keeps(collective, {0, 0, 1, 1}, true)) << name(collective);
    EXPECT_FALSE(keeps(collective, {0, 0, 1, 1, 2, 2}, true)) << name(collective);
  }
}

TEST(Hierarchical, SaysWhyItDoesNotApply) {
  const auto reason = [](Problem problem, std::vector<Count> nodes, const char* specification) {
    problem.nodes = std::move(nodes);
    const auto applicable = applies(problem, parse_choice(problem, specification));
    return applicable ? std::string() : applicable.error();
  };
  const Problem problem = Problem::broadcast(4, 8);
  EXPECT_EQ(reason(problem, {}, "hierarchical"), "no two ranks are on the same node");
  EXPECT_EQ(reason(problem, {0, 0, 0, 0}, "hierarchical"), "all ranks are on one node");
  EXPECT_EQ(reason(problem, {0, 0, 1, 1}, "hierarchical:between=(chain:segments=4)"), "");
  EXPECT_EQ(reason(problem, {0, 0, 1, 1}, "hierarchical:between=chian"),
            "there is no broadcast algorithm 'chian'; did you mean 'chain'?");
  EXPECT_EQ(reason(problem, {0, 0, 1, 1}, "hierarchical:within=biomial"),
            "there is no algorithm 'biomial' for a part inside nodes");
  EXPECT_EQ(reason(Problem::scan(4, 8), {0, 1, 0, 1}, "hierarchical"), "the ranks of a node are not consecutive");
}

// Two nodes of two ranks, and two lanes: each byte enters and leaves a node once, and equal nodes have one representative rank.
TEST(Hierarchical, StatesTheSymmetryOfEqualNodes) {
  const auto representatives = [](Problem problem, std::vector<Count> nodes, const char* specification) {
    problem.nodes = std::move(nodes);
    const Schedule schedule = make_schedule(problem, specification);
    return schedule.symmetry ? size(schedule.symmetry->representatives()) : 0;
  };
  for (const Problem& problem : {Problem::allgather(6, 8), Problem::reduce_scatter(6, 8), Problem::barrier(6)}) {
    EXPECT_EQ(representatives(problem, {0, 0, 1, 1, 2, 2}, "hierarchical:lanes=2"), 1) << name(problem.collective);
    EXPECT_EQ(representatives(problem, {0, 0, 1, 1, 2, 2}, "hierarchical:lanes=1"), 2) << name(problem.collective);
    EXPECT_EQ(representatives(problem, {0, 0, 0, 1, 1, 1}, "hierarchical:lanes=2"), 3) << name(problem.collective);
    EXPECT_EQ(representatives(problem, {0, 0, 0, 0, 1, 1}, "hierarchical:lanes=2"), 0) << name(problem.collective);
    EXPECT_EQ(representatives(problem, {0, 1, 0, 1, 0, 1}, "hierarchical"), 0) << name(problem.collective);
  }
}

TEST(Hierarchical, IsRightForAllPartitionsOfFewRanksIntoNodes) {
  for (const Algorithm* algorithm : hierarchical_algorithms())
    for (Count p = 1; p <= extent(4, 5, 6); ++p)
      for (const std::vector<Count>& nodes : set_partitions(p)) {
        for (const Problem& problem : problems_of(algorithm->collective, p, 3))
          expect_right_with_all_lanes(*algorithm, problem, nodes);
        if (HasFailure()) return;
      }
}

TEST(Hierarchical, IsRightForAllNodesOfConsecutiveRanks) {
  for (const Algorithm* algorithm : hierarchical_algorithms())
    for (Count p = 6; p <= extent(6, 7, 8); ++p)
      for (const std::vector<Count>& nodes : consecutive_nodes(p)) {
        for (const Problem& problem : problems_of(algorithm->collective, p, 2, 1))
          expect_right_with_all_lanes(*algorithm, problem, nodes);
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace quadrille

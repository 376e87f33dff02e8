// SPDX-License-Identifier: BSD-3-Clause
// The algorithms `hierarchical`: all divisions of few ranks into nodes, all lanes, and the algorithms of the table as parts.
#include <gtest/gtest.h>

#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"
#include "support/why_not.hpp"

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
  if (!applies(problem, choice)) return;
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

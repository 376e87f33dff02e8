// SPDX-License-Identifier: BSD-3-Clause
// What a plan takes on a paper's machine, beside what authors say.
#include "papers/exhibits/conclusions.hpp"

#include <gtest/gtest.h>

#include "collectives/table.hpp"
#include "papers/problems.hpp"

namespace quadrille::papers {
namespace {

Planner on_sp1(Bytes bytes) { return Planner({"here", problem_of(Collective::alltoall, 8, bytes), machine_of_paper("sp1")}); }

// No algorithm with its defaults is faster, and what the plan takes has the time of its own schedule.
TEST(PaperConclusions, TakeTheLeastTimeOfAllAlgorithms) {
  for (const Bytes bytes : {1, 100, 10000}) {
    Planner planner = on_sp1(bytes);
    const Problem problem = problem_of(Collective::alltoall, 8, bytes);
    for (const Policy policy : {Policy::blocking, Policy::dataflow}) {
      const Planner::Taken taken = planner.takes(policy);
      EXPECT_DOUBLE_EQ(planner.seconds(taken.name, policy), taken.seconds);
      for (const Algorithm* algorithm : algorithms_for(Collective::alltoall))
        if (const Choice choice = completed(problem, {algorithm, {}}); applies(problem, choice) && !is_baseline(*algorithm))
          EXPECT_LE(taken.seconds, planner.seconds(specification(choice), policy) * (1 + 1e-12)) << algorithm->id;
    }
  }
}

TEST(PaperConclusions, CompareTheTimesOfASentence) {
  Planner planner = on_sp1(1);
  Reproduction made = conclusions_of({});
  planner.add(made, {.words = "right", .place = "here", .better = "bruck", .than = "shift"});
  planner.add(made, {.words = "wrong", .place = "here", .better = "shift", .than = "bruck", .reason = "why"});
  planner.add(made, {.words = "best", .place = "here", .better = "bruck"});
  ASSERT_EQ(made.comparisons.size(), 3u);
  ASSERT_EQ(made.sheets.front().rows.size(), 3u);
  EXPECT_EQ(outcome_of(made.comparisons[0]), Outcome::holds);
  EXPECT_EQ(outcome_of(made.comparisons[1]), Outcome::differs);
  EXPECT_EQ(outcome_of(made.comparisons[2]), Outcome::holds);
  EXPECT_NEAR(made.comparisons[0].ours * made.comparisons[1].ours, 1, 1e-12);
  EXPECT_DOUBLE_EQ(made.comparisons[0].ours, (3 * 29 + 12 * 0.12) / (7 * 29 + 7 * 0.12));  // 3 rounds of 4 blocks, 7 of 1
  EXPECT_NE(sentence_of(made.comparisons[1]).find("why"), std::string::npos);
}

TEST(PaperConclusions, RefuseMachinesWithoutFigures) {
  EXPECT_ANY_THROW(Planner({"here", problem_of(Collective::broadcast, 8, 1), {.name = "nothing"}}));
}

}  // namespace
}  // namespace quadrille::papers

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
      EXPECT_LE(planner.fastest(policy).seconds, planner.takes(policy).seconds);
      const Planner::Taken taken = planner.fastest(policy);
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
  planner.add(made, {.words = "best", .place = "here", .better = "bruck", .than = fastest_of_all});
  ASSERT_EQ(made.comparisons.size(), 5u) << "a sentence each, and a plan for each of two choices";
  ASSERT_EQ(made.sheets.front().rows.size(), 3u);
  const Comparison &right = made.comparisons[0], &wrong = made.comparisons[2];
  EXPECT_EQ(outcome_of(right), Outcome::holds);
  EXPECT_EQ(outcome_of(made.comparisons[1]), Outcome::holds) << "the plan is as fast as bruck";
  EXPECT_EQ(outcome_of(wrong), Outcome::differs);
  EXPECT_EQ(outcome_of(made.comparisons[3]), Outcome::holds) << "the plan is faster than shift";
  EXPECT_EQ(outcome_of(made.comparisons[4]), Outcome::holds);
  EXPECT_NEAR(right.ours * wrong.ours, 1, 1e-12);
  EXPECT_DOUBLE_EQ(right.ours, (3 * 29 + 12 * 0.12) / (7 * 29 + 7 * 0.12));  // 3 rounds of 4 blocks, 7 of 1
  EXPECT_NE(sentence_of(wrong).find("why"), std::string::npos);
  EXPECT_NE(made.remarks.back().find("Of 2 plans 1 take as long as the authors' choice, within 3 % on both sides; 1 take less"),
            std::string::npos)
      << made.remarks.back();
}

// A plan that takes over 3 % more than the authors' choice fails, also if the sentence holds.
TEST(PaperConclusions, AreTwoSided) {
  for (const Bytes bytes : {1, 4, 8, 16, 64, 4096})
    for (const char* better : {"bruck:radix=2", "shift"}) {
      Planner planner = on_sp1(bytes);
      Reproduction made = conclusions_of({});
      planner.add(made, {.words = "words", .place = "here", .better = better, .than = better});
      const double over = planner.takes(Policy::blocking).seconds / planner.seconds(better, Policy::blocking);
      EXPECT_EQ(outcome_of(made.comparisons[0]), Outcome::holds);
      EXPECT_DOUBLE_EQ(made.comparisons[1].ours, over);
      EXPECT_EQ(outcome_of(made.comparisons[1]), over > 1.03 ? Outcome::differs : Outcome::holds);
    }
}

// What the paper leaves open decides no verdict alone: bruck is faster than shift for short blocks only.
TEST(PaperConclusions, AreNotTestableIfWhatIsOpenDecides) {
  const auto setting = [](const char* text, Bytes bytes) {
    return PaperSetting{text, problem_of(Collective::alltoall, 8, bytes), machine_of_paper("sp1")};
  };
  for (const auto& [bytes, expected] : {std::pair{Bytes{2}, Outcome::holds}, {Bytes{4096}, Outcome::not_testable}}) {
    const Planner other(setting("other", bytes));
    Planner planner(setting("1 B", 1), {{"other", [&](const auto& way, Policy policy) { return other.seconds(way, policy); }}});
    Reproduction made = conclusions_of({});
    planner.add(made, {.words = "words", .place = "here", .better = "bruck", .than = "shift"});
    EXPECT_EQ(outcome_of(made.comparisons.front()), expected);
    EXPECT_EQ(finding_of(made.comparisons.front()).find("it holds in 1 of 2 cases") != std::string::npos,
              expected == Outcome::not_testable);
  }
}

// Cases of the same text are draws, and the verdict counts those for which the sentence holds.
TEST(PaperConclusions, CountDraws) {
  std::vector<OpenCase> draws;
  for (const double over : {0.5, 2.0, 3.0})
    draws.push_back({"drawn", [over](const std::string& way, Policy) { return way == "bruck" ? over : 1; }});
  Planner planner({"1 B", problem_of(Collective::alltoall, 8, 1), machine_of_paper("sp1")}, draws);
  Reproduction made = conclusions_of({});
  planner.add(made, {.words = "words", .place = "here", .better = "bruck", .than = "shift"});
  EXPECT_EQ(outcome_of(made.comparisons.front()), Outcome::not_testable);
  EXPECT_NE(finding_of(made.comparisons.front()).find("it holds in 2 of 4 cases"), std::string::npos);
  EXPECT_NE(finding_of(made.comparisons.front()).find("drawn, blocking (1 of 3 draws)"), std::string::npos);
}

TEST(PaperConclusions, RefuseMachinesWithoutFigures) {
  EXPECT_ANY_THROW(Planner({"here", problem_of(Collective::broadcast, 8, 1), {.name = "nothing"}}));
}

}  // namespace
}  // namespace quadrille::papers

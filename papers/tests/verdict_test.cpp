// SPDX-License-Identifier: BSD-3-Clause
// Verdicts from comparisons.
#include <gtest/gtest.h>

#include "papers/exhibit.hpp"

namespace quadrille::papers {
namespace {

TEST(Verdict, HoldsWithinTheTolerance) {
  EXPECT_EQ(outcome_of({.paper = 3, .ours = 3}), Outcome::holds);
  EXPECT_EQ(outcome_of({.paper = 3, .ours = 3.01}), Outcome::differs);
  EXPECT_EQ(outcome_of({.paper = 100, .ours = 101, .tolerance = 0.01}), Outcome::holds);
  EXPECT_EQ(outcome_of({.paper = 100, .ours = 101.1, .tolerance = 0.01}), Outcome::differs);
  EXPECT_EQ(outcome_of({.paper = 3, .ours = 2, .relation = Relation::at_most}), Outcome::holds);
  EXPECT_EQ(outcome_of({.paper = 3, .ours = 4, .relation = Relation::at_most}), Outcome::differs);
  EXPECT_EQ(outcome_of({.paper = 3, .ours = 4, .relation = Relation::at_least}), Outcome::holds);
  EXPECT_EQ(outcome_of({.paper = 3, .ours = 2, .relation = Relation::at_least}), Outcome::differs);
  EXPECT_EQ(outcome_of({.paper = 0, .ours = 0}), Outcome::holds);
}

// A finding applies only if the paper's own value does not hold and the finding's does.
TEST(Verdict, AppliesAFindingOnlyIfTheNumbersConfirmIt) {
  for (const Outcome level : {Outcome::retyped, Outcome::misprint, Outcome::beyond_assumptions, Outcome::paper_is_wrong}) {
    SCOPED_TRACE(name(level));
    const Comparison comparison{
        .what = "rounds", .paper = 2, .ours = 3, .finding = PaperFinding{.level = level, .value = 3, .why = "it is ceil"}};
    EXPECT_EQ(outcome_of(comparison), level);
    EXPECT_EQ(sentence_of(comparison), "paper 2, ours 3: it is ceil");
    Comparison right = comparison, neither = comparison;
    right.paper = 3;
    neither.ours = 4;
    EXPECT_EQ(outcome_of(right), Outcome::holds);
    EXPECT_EQ(sentence_of(right), "paper 3, ours 3");
    EXPECT_EQ(outcome_of(neither), Outcome::differs);
    EXPECT_EQ(sentence_of(neither), "paper 2, ours 4 (2 times)");
  }
}

// A correct value equals ours, also if the paper states a bound. A claim beyond its assumptions needs none.
TEST(Verdict, ComparesAFindingOfABoundByEquality) {
  Comparison comparison{.paper = 1, .ours = 3, .relation = Relation::at_most};
  for (const Outcome level : {Outcome::misprint, Outcome::beyond_assumptions, Outcome::paper_is_wrong}) {
    SCOPED_TRACE(name(level));
    EXPECT_EQ(outcome_of(comparison.found(level, 3, "why")), level);
    EXPECT_EQ(outcome_of(comparison.found(level, 4, "why")), Outcome::differs);
    EXPECT_EQ(outcome_of(comparison.found(level, {}, "why")), level == Outcome::beyond_assumptions ? level : Outcome::differs);
  }
}

// A sharper bound requires that the paper's bound holds as well.
TEST(Verdict, FindsASharperBoundOnlyIfTheNumbersConfirmIt) {
  const Comparison comparison{.paper = 10,
                              .ours = 6,
                              .relation = Relation::at_most,
                              .finding = PaperFinding{.level = Outcome::sharper_bound, .value = 6, .why = "counts are known"}};
  EXPECT_EQ(outcome_of(comparison), Outcome::sharper_bound);
  EXPECT_EQ(sentence_of(comparison), "paper at most 10, ours 6: counts are known");
  Comparison misses = comparison, exceeds = comparison, milder = comparison, equal = comparison, least = comparison;
  misses.ours = 7;
  exceeds.ours = 11;
  milder.finding->value = 10;
  equal.paper = 6, equal.relation = Relation::equal;
  least.relation = Relation::at_least, least.paper = 4;
  EXPECT_EQ(outcome_of(misses), Outcome::holds);
  EXPECT_EQ(outcome_of(exceeds), Outcome::differs);
  EXPECT_EQ(outcome_of(milder), Outcome::holds);
  EXPECT_EQ(outcome_of(equal), Outcome::holds);
  EXPECT_EQ(outcome_of(least), Outcome::sharper_bound);
}

// Over a range the claim holds, holds for a part of it, or for no value.
TEST(Verdict, IsNotTestableIfWhatIsOpenDecides) {
  const auto over = [](Relation relation, double least, double most) {
    return Comparison{.paper = 1, .ours = least, .relation = relation, .reason = "t_m is open", .open = Extremes{least, most}};
  };
  EXPECT_EQ(outcome_of(over(Relation::at_most, 0.5, 0.9)), Outcome::holds);
  EXPECT_EQ(outcome_of(over(Relation::at_most, 0.5, 1.1)), Outcome::not_testable);
  EXPECT_EQ(outcome_of(over(Relation::at_most, 1.1, 1.2)), Outcome::differs);
  EXPECT_EQ(outcome_of(over(Relation::at_least, 1.1, 1.2)), Outcome::holds);
  EXPECT_EQ(outcome_of(over(Relation::at_least, 0.5, 1.1)), Outcome::not_testable);
  EXPECT_EQ(outcome_of(over(Relation::at_least, 0.5, 0.9)), Outcome::differs);
  EXPECT_EQ(outcome_of(over(Relation::equal, 1, 1)), Outcome::holds);
  EXPECT_EQ(outcome_of(over(Relation::equal, 0.5, 1.5)), Outcome::not_testable);
  EXPECT_EQ(outcome_of(over(Relation::equal, 1.1, 1.5)), Outcome::differs);
  EXPECT_EQ(sentence_of(over(Relation::at_most, 0.5, 1.1)), "paper at most 1, ours 0.5 to 1.1: t_m is open");
  EXPECT_EQ(sentence_of(over(Relation::at_most, 1.1, 1.2)),
            "paper at most 1, ours 1.1 to 1.2 (10.0 % above the bound): t_m is open");
}

// A rival at 96 % of what the network carries leaves no room for a gain of 10 %.
TEST(Verdict, IsNotTestableWithoutRoom) {
  Comparison comparison{.what = "bandwidth", .paper = 1.1, .ours = 0.9, .relation = Relation::at_least};
  comparison.found(Outcome::not_testable, 1 / 0.96, "no room");
  EXPECT_EQ(outcome_of(comparison), Outcome::not_testable);
  EXPECT_EQ(finding_of(comparison), "no room");
  comparison.finding->value = 1.11;
  EXPECT_EQ(outcome_of(comparison), Outcome::differs) << "there is room";
  comparison.ours = 1.2;
  EXPECT_EQ(outcome_of(comparison), Outcome::holds);
}

TEST(Verdict, MentionsADoubtfulTranscript) {
  const Comparison comparison{
      .paper = 2, .ours = 3, .finding = PaperFinding{Outcome::misprint, 3, "it is ceil", true}, .aside = "4 on two ports"};
  EXPECT_EQ(sentence_of(comparison),
            "paper 2, ours 3 (4 on two ports): it is ceil; the error may be the transcript's, which has lost signs here");
}

// Each outcome has a name and one sentence, in the order of the enumeration.
TEST(Verdict, HasANameAndASentence) {
  ASSERT_EQ(verdict_levels.size(), outcome_count);
  for (std::size_t i = 0; i < verdict_levels.size(); ++i) {
    EXPECT_EQ(verdict_levels[i].outcome, static_cast<Outcome>(i));
    EXPECT_EQ(name(verdict_levels[i].outcome), verdict_levels[i].name);
    EXPECT_FALSE(verdict_levels[i].meaning.empty());
    EXPECT_EQ(verdict_levels[i].meaning.back(), '.');
  }
}

TEST(Verdict, SeparatesValuesAndFinding) {
  const Comparison off{.paper = 100, .ours = 112.5, .reason = "no t_m"}, right{.paper = 3, .ours = 3, .reason = "no t_m"};
  EXPECT_EQ(values_of(off), "paper 100, ours 112.5 (+12.5 %)");
  EXPECT_EQ(finding_of(off), "no t_m");
  EXPECT_EQ(finding_of(right), "");
}

TEST(Verdict, StatesTheDifference) {
  EXPECT_EQ(sentence_of({.paper = 100, .ours = 112.5}), "paper 100, ours 112.5 (+12.5 %)");
  EXPECT_EQ(sentence_of({.paper = 1, .ours = 1.39, .relation = Relation::at_most, .reason = "no t_m"}),
            "paper at most 1, ours 1.39 (39.0 % above the bound): no t_m");
  EXPECT_EQ(sentence_of({.paper = 0.9, .ours = 0.8, .relation = Relation::at_least}),
            "paper at least 0.9, ours 0.8 (11.1 % below the bound)");
  EXPECT_EQ(sentence_of({.paper = 1, .ours = 2.5, .relation = Relation::at_most}),
            "paper at most 1, ours 2.5 (2.5 times the bound)");
  EXPECT_EQ(sentence_of({.paper = 1024, .ours = 24}), "paper 1024, ours 24 (0.0234 times)");
  EXPECT_EQ(sentence_of({.paper = 0, .ours = 7}), "paper 0, ours 7");
  EXPECT_EQ(sentence_of({.paper = 100, .ours = 112.5, .aside = "99 of others"}), "paper 100, ours 112.5 (+12.5 %; 99 of others)");
}

TEST(Verdict, IsThatOfTheWorstComparison) {
  const Comparison right{.what = "steps", .paper = 3, .ours = 3},
      wrong{.what = "rounds", .paper = 2, .ours = 3, .finding = PaperFinding{Outcome::paper_is_wrong, 3, "why"}},
      slip{.what = "rounds", .paper = 2, .ours = 3, .finding = PaperFinding{Outcome::misprint, 3, "why"}},
      off{.what = "time", .paper = 10, .ours = 15}, explained{.what = "time", .paper = 10, .ours = 11, .reason = "so"};
  const auto verdict = [](std::vector<Comparison> comparisons) { return verdict_of({.comparisons = std::move(comparisons)}); };
  EXPECT_EQ(verdict({right}).sentence, "holds");
  EXPECT_EQ(verdict({right, right}).sentence, "holds: all 2 comparisons");
  EXPECT_EQ(verdict({right, wrong}).sentence, "the paper is wrong in 1 of 2; rounds: paper 2, ours 3: why");
  EXPECT_EQ(verdict({wrong, off, right, explained}).sentence,
            "differs in 2 of 4, and the paper is wrong in 1; largest difference: time: paper 10, ours 15 (+50.0 %)");
  EXPECT_EQ(
      verdict({slip, wrong, off, right}).sentence,
      "differs in 1 of 4, and the paper is wrong in 1, and misprint in 1; largest difference: time: paper 10, ours 15 (+50.0 %)");
  EXPECT_EQ(verdict({slip, right}).outcome, Outcome::misprint);
  EXPECT_EQ(verdict({slip, wrong}).outcome, Outcome::paper_is_wrong);
  EXPECT_EQ(verdict({slip, slip, right}).counts[Outcome::misprint], 2u);
  EXPECT_EQ(verdict({wrong, off, right, explained}).outcome, Outcome::differs);
  EXPECT_FALSE(verdict({off}).explained);
  EXPECT_TRUE(verdict({explained, wrong, right}).explained);
}

TEST(Verdict, HasAHeadlineWithoutTheReason) {
  Reproduction made{.comparisons = {{.what = "time", .paper = 10, .ours = 15, .reason = "another machine"}}};
  EXPECT_EQ(verdict_of(made).headline, "differs in 1 of 1; time: paper 10, ours 15 (+50.0 %)");
  made.comparisons[0].what = std::string(400, 'x');
  EXPECT_EQ(verdict_of(made).headline, "differs in 1 of 1") << "too long for a picture";
  made.comparisons[0].what = "time (\"much shorter (by far)\"), the most";
  EXPECT_EQ(verdict_of(made).headline, "differs in 1 of 1; time, the most: paper 10, ours 15 (+50.0 %)");
}

}  // namespace
}  // namespace quadrille::papers

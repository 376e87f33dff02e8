// SPDX-License-Identifier: BSD-3-Clause
// Verdicts from comparisons, sheets as CSV, and panels as gnuplot scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "papers/exhibit.hpp"

namespace quadrille::papers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
  for (const Outcome level : {Outcome::misprint, Outcome::beyond_assumptions, Outcome::paper_is_wrong}) {
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

TEST(Verdict, MentionsADoubtfulTranscript) {
  const Comparison comparison{
      .paper = 2, .ours = 3, .finding = PaperFinding{Outcome::misprint, 3, "it is ceil", true}, .aside = "4 on two ports"};
  EXPECT_EQ(sentence_of(comparison),
            "paper 2, ours 3 (4 on two ports): it is ceil; the error may be the transcript's, which has lost signs here");
}

// Each outcome has a name and one sentence, in the order of the enumeration.
TEST(Verdict, HasANameAndASentence) {
  ASSERT_EQ(levels().size(), outcome_count);
  for (std::size_t i = 0; i < levels().size(); ++i) {
    EXPECT_EQ(levels()[i].outcome, static_cast<Outcome>(i));
    EXPECT_EQ(name(levels()[i].outcome), levels()[i].name);
    EXPECT_FALSE(levels()[i].meaning.empty());
    EXPECT_EQ(levels()[i].meaning.back(), '.');
  }
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

TEST(Sheets, AreCsv) {
  const Sheet sheet{.columns = {"nodes", "time, model (ms)", "note"},
                    .rows = {{Count{16}, 0.125, std::string("a \"spike\"")}, {Count{64}, Cell{}, std::string()}}};
  EXPECT_EQ(csv_of(sheet), "nodes,\"time, model (ms)\",note\r\n16,0.125,\"a \"\"spike\"\"\"\r\n64,,\r\n");
  Reproduction one{.sheets = {sheet}}, two{.sheets = {sheet, sheet}};
  two.sheets[1].name = "b";
  EXPECT_EQ(csv_name("x-fig1", one, 0), "x-fig1.csv");
  EXPECT_EQ(csv_name("x-fig1", two, 1), "x-fig1-b.csv");
}

TEST(Plots, AreScriptsWithTheirData) {
  Reproduction made{.sheets = {{.columns = {"n", "a", "b"}, .rows = {{Count{1}, 2.5, Cell{}}}}}};
  EXPECT_EQ(plot_script("nothing", made), "");
  made.panels.push_back(
      {.title = "it's one", .x_label = "n", .y_label = "t", .curves = {{1, "A"}, {2, "B", CurveStyle::dashed}}, .log_x = true});
  const std::string script = plot_script("a title", made);
  EXPECT_THAT(script, HasSubstr("$sheet0 << EOD\n1 2.5 NaN\nEOD\n"));
  EXPECT_THAT(script, HasSubstr("set title 'it''s one'"));
  EXPECT_THAT(script, HasSubstr("plot $sheet0 using 1:2 with linespoints"));
  EXPECT_THAT(script, HasSubstr("$sheet0 using 1:3 with lines"));
  EXPECT_THAT(script, HasSubstr("set logscale x 2"));
}

// Stacked parts, rectangles by kind, and the paper's own points, which the key calls "paper".
TEST(Plots, ShowBarsAndSpans) {
  Reproduction made{.sheets = {{.columns = {"stage", "a", "b", "paper"}, .rows = {{std::string("I"), 2.5, 1.5, 3.0}}},
                               {.columns = {"lane", "begin", "end", "what"},
                                .rows = {{std::string("node 0"), 0.0, 2.0, std::string("send")},
                                         {std::string("node 1"), 1.0, 4.0, std::string("receive")}}}},
                    .panels = {{.sheet = 0, .curves = {{1, "A"}, {2, "B"}, {3, "", CurveStyle::points}}, .kind = PanelKind::bars},
                               {.sheet = 1, .kind = PanelKind::spans}}};
  const std::string script = plot_script("a title", made);
  EXPECT_THAT(script, HasSubstr("\"I\" 2.5 1.5 3\n"));
  EXPECT_THAT(script, HasSubstr("rowstacked"));
  EXPECT_THAT(script, HasSubstr("using 0:4 with points"));
  EXPECT_THAT(script, HasSubstr("title 'paper'"));
  EXPECT_THAT(script, HasSubstr("$spans << EOD\n0 0 0 2\n1 1 1 4\nEOD"));
  EXPECT_THAT(script, HasSubstr("set ytics (\"node 0\" 0, \"node 1\" 1)"));
  EXPECT_THAT(script, HasSubstr("title 'receive'"));
}

// Panels of one group have one range of y, which begins at 0 or at a round number; other panels have their own.
TEST(Plots, ShareRanges) {
  Reproduction made{.sheets = {{.columns = {"n", "a", "b"}, .rows = {{Count{1}, 2.5, 30.0}, {Count{2}, 3.0, 410.0}}}},
                    .panels = {{.curves = {{1, "A"}}, .log_y = true, .range_group = 3},
                               {.curves = {{2, "B"}}, .log_y = true, .range_group = 3},
                               {.curves = {{1, "A"}, {2, "B"}}, .kind = PanelKind::bars, .range_group = 4},
                               {.curves = {{2, "B"}}}}};
  const std::string script = plot_script("a title", made);
  const auto count = [&](const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = script.find(part); at != std::string::npos; at = script.find(part, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count("set yrange [2:500]"), 2u);
  EXPECT_EQ(count("set yrange [0:450]"), 1u) << "413 by steps of 50";
  EXPECT_EQ(count("set yrange"), 3u);
}

TEST(Plots, HavePowersOfTenWhereNumbersAreLargeOrSmall) {
  const auto script = [](double x, double least, double most) {
    return plot_script("a title", {.sheets = {{.columns = {"x", "a"}, .rows = {{x, least}, {2 * x, most}}}},
                                   .panels = {{.curves = {{1, "A", CurveStyle::steps}}, .log_x = true, .log_y = true}}});
  };
  EXPECT_THAT(script(1, 1, 150000), HasSubstr("set format y '10^%T'"));
  EXPECT_THAT(script(1, 1, 9000), Not(HasSubstr("set format y")));
  EXPECT_THAT(script(1, 1, 9000), HasSubstr("set logscale x 2"));
  EXPECT_THAT(script(0.001, 1, 9000), HasSubstr("set logscale x 10"));
  EXPECT_THAT(script(1, 1, 9000), HasSubstr("$sheet0 using 1:2 with steps"));
}

TEST(Plots, SayTheVerdictWithoutItsReason) {
  Reproduction made{.sheets = {{.columns = {"n", "a"}, .rows = {{Count{1}, 2.5}}}},
                    .panels = {{.curves = {{1, "A"}}}},
                    .comparisons = {{.what = "time", .paper = 10, .ours = 15, .reason = "another machine"}}};
  const std::string script = plot_script("a title", made);
  EXPECT_THAT(script, HasSubstr("'Verdict: differs in 1 of 1; time: paper 10, ours 15 (+50.0 %)'"));
  EXPECT_THAT(script, Not(HasSubstr("another machine")));
  made.comparisons[0].what = std::string(100, 'x') + " " + std::string(100, 'y');
  EXPECT_EQ(verdict_of(made).headline, "differs in 1 of 1; " + std::string(100, 'x') + " ...: paper 10, ours 15 (+50.0 %)");
  made.comparisons[0].what = "time (\"much shorter (by far)\"), the most";
  EXPECT_EQ(verdict_of(made).headline, "differs in 1 of 1; time, the most: paper 10, ours 15 (+50.0 %)");
}

// Every colour, in each of gnuplot's notations, has a counterpart for dark grounds. Without gnuplot's description,
// nothing changes.
TEST(Plots, HaveColoursForDarkGround) {
  const std::string picture = "<svg><desc>gnuplot</desc>\n<path stroke='rgb(  0, 114, 178)'/></svg>";
  const std::string both = with_dark_colours(picture);
  EXPECT_THAT(both, HasSubstr("@media (prefers-color-scheme: dark)"));
  EXPECT_THAT(both, HasSubstr("[stroke='rgb(  0, 114, 178)']"));
  EXPECT_THAT(both, HasSubstr("</style>\n<path stroke='rgb(  0, 114, 178)'/>"));
  EXPECT_EQ(with_dark_colours("<svg/>"), "<svg/>");
}

}  // namespace
}  // namespace quadrille::papers

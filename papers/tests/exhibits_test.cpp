// SPDX-License-Identifier: BSD-3-Clause
// Makes every exhibit of the papers. Its numbers must be well formed, and its verdict must follow from them: another
// number of the paper, or another correction, must give another verdict.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "draw/panel.hpp"
#include "papers/exhibit.hpp"

namespace quadrille::papers {
namespace {

TEST(Exhibits, AreThoseOfThePapers) {
  std::set<std::string_view> ids;
  for (const Exhibit& exhibit : all_exhibits()) EXPECT_TRUE(ids.insert(exhibit.id).second) << exhibit.id;
  for (const char* id : {"bruck1997-fig3",         "bruck1997-fig4",          "bruck1997-fig5",
                         "bruck1997-fig6",         "bruck1997-fig7",          "bruck1997-table1",
                         "bruck1997-bounds",       "liu2002-table1",          "liu2002-table2",
                         "liu2002-table3",         "liu2002-table4",          "liu2002-fig8",
                         "liu2002-fig10",          "liu2002-fig13",           "liu2002-equation3",
                         "liu2002-open",           "liu2002-fig14",           "liu2002-fig15",
                         "liu2002-fig16",          "liu2002-fig17",           "liu2002-fig18",
                         "liu2002-fig19",          "liu2002-fig20",           "liu2002-fig21",
                         "liu2002-fig22",          "liu2002-fig23",           "liu2005-fig3",
                         "liu2005-table1",         "liu2005-lemma4",          "liu2005-table2",
                         "liu2005-fig6",           "sanders2002-fig3",        "sanders2002-steps",
                         "bruck1997-compound",     "liu2005-stages",          "sanders2002-bandwidth",
                         "grama2003-bounds",       "grama2003-costs",         "grama2003-figures",
                         "grama2003-optimised",    "liu2002-baselines",       "liu2002-stages",
                         "desensi2025-links",      "bruck1997-conclusions",   "liu2002-conclusions",
                         "liu2005-conclusions",    "sanders2002-conclusions", "grama2003-conclusions",
                         "liu2002-groups",         "liu2005-direct",          "grama2003-ecube",
                         "liu2002-fig3",           "liu2002-contention",      "liu2005-imaginary",
                         "liu2002-measured",       "sanders2002-factors",     "liu2002-distribution",
                         "bruck1997-concatenation"})
    EXPECT_TRUE(ids.contains(id)) << id;
  EXPECT_EQ(find_exhibit("bruck1997-fig99"), nullptr);
}

// The command completes these names without the exhibits.
TEST(Exhibits, HaveTheNamesOfTheirRows) {
  std::size_t number = 0;
  for (std::string row : {
#define ROW(record) #record,
#include "papers/exhibits.def"
#undef ROW
       }) {
    std::replace(row.begin(), row.end(), '_', '-');
    EXPECT_EQ(all_exhibits()[number++].id, row);
  }
  EXPECT_EQ(number, all_exhibits().size());
}

std::string references() {
  std::ifstream file(std::filesystem::path(QUADRILLE_SOURCE_DIR) / "docs/references.bib");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Exhibits, NameTheirSources) {
  const std::string known = references();
  for (const Exhibit& exhibit : all_exhibits()) {
    const std::string key(exhibit.source.substr(0, exhibit.source.find(',')));
    EXPECT_NE(known.find("{" + key + ","), std::string::npos) << exhibit.id;
    EXPECT_TRUE(exhibit.id.starts_with(key + "-")) << exhibit.id;
    EXPECT_FALSE(exhibit.title.empty() || exhibit.about.empty());
    EXPECT_EQ(find_exhibit(exhibit.id), &exhibit);
  }
}

// Comparisons that differ although the paper is not simply wrong, with the verdict on each and a part of its sentence. The paper
// does not make the claim, states it correctly elsewhere, or makes it about something else. Two claims are wrong even under the
// paper's own assumptions, and their verdict says so.
struct Fair {
  std::string exhibit;
  std::string what;  // part of the comparison's `what`
  std::string verdict;
  std::string sentence;  // part of the verdict's sentence
};

constexpr const char* in_doubt = "the error may be the transcript's";

const std::vector<Fair> fair_verdicts{
    {"bruck1997-bounds", "at least b (n-1)/k", "sharper bound found", "paper at least 1.333, ours 2"},
    {"bruck1997-table1", "cases that are not optimal: at most", "sharper bound found", "paper at most 1518, ours 781"},
    {"bruck1997-table1", "n1 of the example", "misprint", "section 4 defines"},
    {"bruck1997-fig3", "Appendix A, line 8", "misprint", in_doubt},
    {"bruck1997-fig3", "rotates i steps downwards", "misprint", "line 22 of Appendix A"},
    {"liu2002-table2", "all counts 1: longest message of stage III (L/P), ceil", "beyond its assumptions",
     "section 3.2.4 assumes counts that P divides"},
    {"liu2002-table2", "K (K + 1) < K^2", "misprint", in_doubt},
    {"liu2002-table3", "4 K^2", "misprint", in_doubt},
    {"liu2002-table3", "K + 2 (proof", "misprint", in_doubt},
    {"liu2002-table4", "A2: elements of sBUF", "holds", "paper at most 2048, ours 2032"},
    {"liu2002-table4", "A4: elements of sBUF", "holds", "paper at most 2048, ours 2048"},
    {"liu2002-table4", "A3: elements of sBUF", "sharper bound found", "paper at most 131072, ours 8192"},
    {"liu2002-table4", "output and scratch over 2 ceil", "holds", "paper at most 0, ours 0"},
    {"liu2002-table4", "memory of A3 over memory of A4", "holds", "ours 64 (4 by our schedules"},
    {"liu2002-table4", "61 ranks: output and scratch of A4", "the paper is wrong", "except on squares"},
    {"liu2005-table2", "rearranged by Tseng et al.", "the paper is wrong", "too"},
    {"liu2002-fig8", "floor(sqrt P) - 2", "misprint", in_doubt},
    {"liu2002-fig10", "r - m + 1 + k", "misprint", "figure 10"},
    {"liu2002-fig14", "numbers of ranks from 16 to 100 for which Pattern2", "beyond its assumptions", "read as 85, ours 13"},
    {"liu2002-fig14", "squares from 16 to 100", "holds", "paper 7, ours 7"},
    {"liu2005-fig3", "ring of 10: steps in which a link is idle", "holds", "paper 0, ours 0"},
    {"liu2005-fig3", "ring of 5: findings of the verifier if an imaginary node", "holds", "paper 0, ours 0"},
    {"liu2005-fig3", "positive half-circle", "misprint", in_doubt},
    {"liu2005-table1", "G10 in QI", "misprint", "figure 5"},
    {"liu2005-lemma4", "12x16: blocks, r c^2/8, with the routes of figure 2 as printed, link by link", "holds",
     "paper 384, ours 384"},
    {"liu2005-lemma4", "in lock-step", "beyond its assumptions", "read as 384, ours 424"},
    {"liu2005-lemma4", "4x4: blocks, r c^2/8, with the routes of figure 2", "the paper is wrong", "p >= 4"},
    {"liu2005-lemma4", "8x12: blocks, r c^2/8, with the routes of figure 2", "the paper is wrong", "paper 144, ours 152"},
    {"liu2005-lemma4", "8x12: blocks with algorithm AR, in rounds", "beyond its assumptions", "read as 144, ours 152"},
    {"liu2005-lemma4", "8x12: blocks with algorithm AR on the rows and columns", "holds", "paper 144, ours 144"},
    {"liu2005-lemma4", "12x16: blocks with algorithm AR, in rounds", "holds", "read as 384, ours 384"},
    {"sanders2002-bandwidth", "never performs worse", "not testable", "hence take longer"},
    {"sanders2002-bandwidth", "a factor of two and more", "not testable", "paper at least 2, ours 1 to 2"},
    {"sanders2002-steps", "the n^2 of the exchange inside a node", "holds", "paper 0, ours 0"},
    {"sanders2002-factors", "concentrated in a single factor", "holds", "paper 0, ours 0"},
    {"liu2005-fig6", "4x4", "the paper is wrong", "multiples of four"},
    {"liu2005-fig6", "16x16: bytes per block from which", "the paper is wrong", "paper at most 1, ours 1.973"},
    {"sanders2002-fig3", "as the algorithm is printed", "misprint", "section 3 says p n"},
    {"liu2005-table2", "d = 4: Suh and Shin 2001: blocks transmitted", "holds", "paper 1280, ours 1280"},
    {"sanders2002-steps", "p/n as printed", "misprint", "n/p"},
    {"sanders2002-graphs", "nodes of four, permutations, k = 3", "holds", "read as 32, ours 32"},
    {"grama2003-costs", "in p steps", "misprint", "p - 1"},
    {"grama2003-conclusions", "allgather of 65536 words: time of what a plan takes, recursive-doubling, over", "holds", "ours 1"},
    {"grama2003-costs", "does not commute", "beyond its assumptions", "sums of numbers"},
    {"grama2003-costs", "idempotent", "misprint", "in brackets"},
    {"grama2003-costs", "k-node subset", "misprint", "k + 1"},
    {"liu2002-equation3", "t3d, 1024 elements, (3) with f_nc_b = 1 and table 3: time of A4 over that of A1",
     "beyond its assumptions", "paper at most 1, ours 2.196: f_nc_b is \"generally greater than 1\""},
    {"liu2002-equation3", "t3d, 1024 elements, (3) with f_nc_b = 1 and table 3: time of A4 over that of A1",
     "beyond its assumptions",
     "f_nc_b of A1 is at least 3.49 and that of A4 is 1; A1 stops being the fastest of the three (A1 4.68, A2 9.35, A4 10.27 ms) "
     "at "
     "3.08"},
    {"liu2002-equation3", "t3d, 1024 elements, (3) with f_nc_b = 1 and table 3: time of A4 over that of A2", "differs",
     "though both are balanced"},
    {"liu2002-table1", "largest T_s / (t_c + t_d)", "retyped", "ours 4667"},
    {"liu2002-fig3", "SP2: simulated blocking time over (1)", "holds", "paper 0, ours 0"},
    {"liu2002-fig3", "d_2", "not testable", "the last of the two is complete at the same time"},
    {"liu2002-contention", "f_nc_b of A1 over its f_nc_nb", "holds", ""},
    {"liu2002-contention", "f_nc_b of A4", "holds", "paper 1, ours 1"},
    {"liu2002-equation3", "t3d, 1024 elements, (3) with f_nc_b = 1 and our schedules: time of A4 over that of A2", "not testable",
     "without messages to oneself"},
    {"liu2002-measured", "Pattern2, 64 ranks, SMPI: time of A4-n2 over that of A3-n1", "beyond its assumptions", "about the T3D"},
    {"sanders2002-conclusions", "nodes of 1+2+3, 64 B: time of bruck", "beyond its assumptions", "machines without nodes"},
    {"grama2003-conclusions", "most messages of recursive-doubling on a link", "holds", "ours 32"},
    {"liu2005-imaginary", "3x3: blocks that do not arrive with imaginary nodes", "holds", "paper 0, ours 0"},
    {"liu2005-imaginary", "5x5: blocks of our exchange", "holds", "paper 1, ours 1"},
    {"liu2002-fig13", "(b): steps of the rank", "holds", "paper at least 1, ours 7"},
    {"liu2002-fig21", "Pattern2, 64 ranks, model and simulation: time of A3-n1 over that of A3-b, minimum", "holds",
     "at most 0.9, ours"},
    {"liu2002-distribution", "at the end of stage II", "holds", "paper 0, ours 0"},
    {"bruck1997-compound", "minus C(j, f) k^f", "holds", "paper at most 0, ours 0"},
    {"grama2003-costs", "along the columns", "misprint", "the sum of a row"},
    {"desensi2025-links", "consistent reductions", "not testable", "in all steps but the first"},
    {"liu2002-fig16", "Pattern2, 64 ranks, model and simulation: time of A4-b over that of A2-b", "not testable",
     "model 1.09, simulation"}};

TEST(FairVerdicts, AreOnExistingExhibits) {
  for (const Fair& fair : fair_verdicts) EXPECT_NE(find_exhibit(fair.exhibit), nullptr) << fair.exhibit;
}

void expect_fair_verdicts(std::string_view id, const Reproduction& made) {
  for (const Fair& fair : fair_verdicts) {
    if (fair.exhibit != id) continue;
    std::size_t found = 0;
    for (const Comparison& comparison : made.comparisons) {
      if (comparison.what.find(fair.what) == std::string::npos) continue;
      ++found;
      EXPECT_EQ(name(outcome_of(comparison)), fair.verdict) << comparison.what;
      EXPECT_NE(sentence_of(comparison).find(fair.sentence), std::string::npos) << sentence_of(comparison);
    }
    EXPECT_GT(found, 0u) << fair.what;
  }
}

class EveryExhibit : public ::testing::TestWithParam<Exhibit> {};

// Readers must find the paper's sentence: the comparison names its place, or the whole exhibit is about one place.
void expect_places(const Exhibit& exhibit, const Reproduction& made) {
  const bool one_place =
      exhibit.source.find(" and ") == std::string_view::npos && exhibit.source.find(" to ") == std::string_view::npos;
  for (const Comparison& comparison : made.comparisons) EXPECT_TRUE(one_place || !comparison.place.empty()) << comparison.what;
}

// Returns the comparison with a value of the paper that does not hold.
Comparison with_another_paper(Comparison comparison) {
  const Extremes ours = comparison.open.value_or(Extremes{comparison.ours, comparison.ours});
  const double step = 1 + 2 * std::max(std::abs(ours.least), std::abs(ours.most)) + std::abs(comparison.paper);
  comparison.paper = comparison.relation == Relation::at_least ? ours.most + step : ours.least - step;
  comparison.finding.reset();
  return comparison;
}

void expect_verdicts_that_numbers_decide(const Reproduction& made) {
  ASSERT_FALSE(made.comparisons.empty());
  EXPECT_TRUE(verdict_of(made).explained) << verdict_of(made).sentence;
  for (std::size_t i = 0; i < made.comparisons.size(); ++i) {
    const Comparison& comparison = made.comparisons[i];
    SCOPED_TRACE(comparison.what);
    EXPECT_FALSE(comparison.what.empty());
    EXPECT_TRUE(std::isfinite(comparison.paper) && std::isfinite(comparison.ours));
    Reproduction mutated{.comparisons = made.comparisons};
    mutated.comparisons[i] = with_another_paper(comparison);
    EXPECT_EQ(outcome_of(mutated.comparisons[i]), Outcome::differs);
    EXPECT_EQ(verdict_of(mutated).outcome, Outcome::differs);
    if (!comparison.finding || outcome_of(comparison) != comparison.finding->level) continue;
    mutated.comparisons = {comparison};
    mutated.comparisons[0].finding->value = comparison.paper;
    EXPECT_EQ(verdict_of(mutated).outcome, outcome_of(comparison) == Outcome::sharper_bound ? Outcome::holds : Outcome::differs)
        << "a finding with the paper's value has no effect";
  }
}

void expect_well_formed_numbers(const Reproduction& made) {
  ASSERT_FALSE(made.sheets.empty());
  std::set<std::string> names;
  for (std::size_t i = 0; i < made.sheets.size(); ++i) {
    const Sheet& sheet = made.sheets[i];
    EXPECT_TRUE(names.insert(sheet.name).second) << "two sheets of one name";
    EXPECT_FALSE(sheet.rows.empty());
    for (const auto& row : sheet.rows) {
      EXPECT_EQ(row.size(), sheet.columns.size());
      for (const Cell& cell : row)
        if (const double* number = std::get_if<double>(&cell)) EXPECT_TRUE(std::isfinite(*number));
    }
    // Outside quotation marks, each line has one comma fewer than there are columns.
    const std::string csv = csv_of(sheet);
    std::size_t commas = 0, lines = 0;
    bool quoted = false;
    for (const char letter : csv) {
      if (letter == '"') quoted = !quoted;
      if (letter == ',' && !quoted) ++commas;
      if (letter == '\n' && !quoted) ++lines;
    }
    EXPECT_FALSE(quoted);
    EXPECT_EQ(lines, sheet.rows.size() + 1);
    EXPECT_EQ(commas, lines * (sheet.columns.size() - 1));
  }
  for (const Panel& panel : made.panels) {
    ASSERT_LT(panel.sheet, made.sheets.size());
    ASSERT_EQ(panel.curves.empty(), panel.kind == PanelKind::spans);
    if (panel.kind == PanelKind::spans) ASSERT_GE(made.sheets[panel.sheet].columns.size(), 4u);
    for (const Curve& curve : panel.curves) {
      EXPECT_LT(curve.column, made.sheets[panel.sheet].columns.size());
      EXPECT_EQ(curve.style == CurveStyle::points, curve.title.starts_with("paper: ")) << curve.title;
    }
    EXPECT_LT(panel.x, made.sheets[panel.sheet].columns.size());
  }
  if (made.panels.empty()) return;
  const std::string plot =
      draw_plot("title", "note", {made.sheets.begin(), made.sheets.end()}, {made.panels.begin(), made.panels.end()});
  for (const char* wrong : {"nan", "inf"}) EXPECT_EQ(plot.find(fmt::format("\"{}", wrong)), std::string::npos);
}

// Every sheet of times of figures 15 to 23 counts messages to oneself and leaves them out, and every claim about
// times states both.
void expect_messages_to_oneself_counted_and_not(const Reproduction& made) {
  for (const Comparison& comparison : made.comparisons)
    EXPECT_NE(comparison.aside.find(" without messages to oneself"), std::string::npos) << comparison.what;
  for (const Panel& panel : made.panels) {
    if (panel.kind != PanelKind::curves) continue;
    const Sheet& sheet = made.sheets[panel.sheet];
    const std::size_t half = (sheet.columns.size() - 1) / 2;
    for (std::size_t column = 1; column <= half; ++column) {
      EXPECT_EQ(sheet.columns[column].find("without"), std::string::npos);
      EXPECT_NE(sheet.columns[column + half].find("without messages to oneself"), std::string::npos);
      for (const auto& row : sheet.rows)
        EXPECT_GT(std::get<double>(row[column]), std::get<double>(row[column + half])) << sheet.columns[column];
    }
  }
}

// Hosts and numbers of processes that are drawn say so, and differ from draw to draw.
void expect_draws_that_differ(std::string_view id, const Reproduction& made) {
  if (id == "desensi2025-links") {
    EXPECT_NE(made.remarks.front().find("Hosts are drawn"), std::string::npos);
    std::size_t apart = 0;
    for (const auto& row : made.sheets.front().rows) {
      const bool is_drawn = std::get<std::string>(row[1]) != "consecutive hosts from the first";
      const double least = std::get<double>(row[4]), most = std::get<double>(row[5]);
      EXPECT_TRUE(is_drawn || least == most);
      apart += least < most ? 1 : 0;
    }
    EXPECT_GT(apart, made.sheets.front().rows.size() / 2) << "three of four ways of placing ranks draw hosts";
  }
  if (id == "sanders2002-bandwidth") {
    std::set<std::string> sizes;
    for (const auto& row : made.sheets.front().rows)
      if (std::get<std::string>(row[0]).starts_with("random ")) sizes.insert(std::get<std::string>(row[1]));
    EXPECT_EQ(sizes.size(), 3u);
  }
}

bool is_one_of_lius_figures_of_times(std::string_view id) {
  constexpr std::string_view before = "liu2002-fig";
  if (!id.starts_with(before)) return false;
  const int number = std::stoi(std::string(id.substr(before.size())));
  return number >= 15 && number <= 23;
}

// Each exhibit is made once for all checks, because some take seconds.
TEST_P(EveryExhibit, HasVerdictsAndNumbersInOrder) {
  const std::string_view id = GetParam().id;
  const Reproduction made = GetParam().make({.small = true});
  expect_verdicts_that_numbers_decide(made);
  expect_fair_verdicts(id, made);
  expect_well_formed_numbers(made);
  expect_draws_that_differ(id, made);
  if (!is_one_of_lius_figures_of_times(id)) expect_places(GetParam(), made);
  if (is_one_of_lius_figures_of_times(id)) expect_messages_to_oneself_counted_and_not(made);
}

std::string test_name(const ::testing::TestParamInfo<Exhibit>& info) {
  std::string name(info.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Papers, EveryExhibit, ::testing::ValuesIn(all_exhibits().begin(), all_exhibits().end()), test_name);

}  // namespace
}  // namespace quadrille::papers

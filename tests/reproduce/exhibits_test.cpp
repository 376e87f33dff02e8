// SPDX-License-Identifier: BSD-3-Clause
// Every exhibit of the papers: it is made, its numbers are well formed, and its verdict comes from them: with another number of the
// paper, or another correction, it is another verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "reproduce/exhibit.hpp"

namespace quadrille::reproduce {
namespace {

TEST(Exhibits, AreThoseOfTheFivePapers) {
  std::set<std::string_view> ids;
  for (const Exhibit* exhibit : all_exhibits()) EXPECT_TRUE(ids.insert(exhibit->id).second) << exhibit->id;
  for (const char* id :
       {"bruck1997-fig3",   "bruck1997-fig4",    "bruck1997-fig5",     "bruck1997-fig6", "bruck1997-fig7",   "bruck1997-table1",
        "bruck1997-bounds", "liu2002-table1",    "liu2002-table2",     "liu2002-table3", "liu2002-table4",   "liu2002-fig8",
        "liu2002-fig10",    "liu2002-fig14",     "liu2002-fig15",      "liu2002-fig16",  "liu2002-fig17",    "liu2002-fig18",
        "liu2002-fig19",    "liu2002-fig20",     "liu2002-fig21",      "liu2002-fig22",  "liu2002-fig23",    "liu2005-fig3",
        "liu2005-table1",   "liu2005-lemma4",    "liu2005-table2",     "liu2005-fig6",   "sanders2002-fig3", "sanders2002-steps",
        "grama2003-costs",  "grama2003-figures", "grama2003-optimised"})
    EXPECT_TRUE(ids.contains(id)) << id;
  EXPECT_EQ(find_exhibit("bruck1997-fig99"), nullptr);
}

std::string references() {
  std::ifstream file(std::filesystem::path(QUADRILLE_SOURCE_DIR) / "docs/references.bib");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Exhibits, NameTheirSources) {
  const std::string known = references();
  for (const Exhibit* exhibit : all_exhibits()) {
    const std::string key(exhibit->source.substr(0, exhibit->source.find(',')));
    EXPECT_NE(known.find("{" + key + ","), std::string::npos) << exhibit->id;
    EXPECT_TRUE(exhibit->id.starts_with(key + "-")) << exhibit->id;
    EXPECT_FALSE(exhibit->title.empty() || exhibit->about.empty());
    EXPECT_EQ(find_exhibit(exhibit->id), exhibit);
  }
}

class EveryExhibit : public ::testing::TestWithParam<const Exhibit*> {};

// The paper's value moved to where it does not hold.
Comparison with_another_paper(Comparison comparison) {
  const double step = 1 + 2 * std::abs(comparison.ours) + std::abs(comparison.paper);
  comparison.paper = comparison.relation == Relation::at_least ? comparison.ours + step : comparison.ours - step;
  comparison.erratum.reset();
  return comparison;
}

TEST_P(EveryExhibit, HasAVerdictThatItsNumbersDecide) {
  const Reproduction made = GetParam()->make({.small = true});
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
    if (outcome_of(comparison) != Outcome::paper_is_wrong) continue;
    mutated.comparisons = {comparison};
    mutated.comparisons[0].erratum->corrected = comparison.paper;
    EXPECT_EQ(verdict_of(mutated).outcome, Outcome::differs) << "a correction that corrects nothing";
  }
}

TEST_P(EveryExhibit, HasNumbersThatAreWellFormed) {
  std::string told;
  const Reproduction made = GetParam()->make({.small = true, .progress = [&](std::string_view line) { told = line; }});
  ASSERT_FALSE(made.sheets.empty());
  std::set<std::string> files;
  for (std::size_t i = 0; i < made.sheets.size(); ++i) {
    const Sheet& sheet = made.sheets[i];
    EXPECT_TRUE(files.insert(csv_name(GetParam()->id, made, i)).second) << "two sheets of one name";
    EXPECT_FALSE(sheet.rows.empty());
    for (const auto& row : sheet.rows) {
      EXPECT_EQ(row.size(), sheet.columns.size());
      for (const Cell& cell : row)
        if (const double* number = std::get_if<double>(&cell)) EXPECT_TRUE(std::isfinite(*number));
    }
    // Outside quotation marks each line has as many commas as there are columns, but one.
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
    ASSERT_FALSE(panel.curves.empty());
    for (const Curve& curve : panel.curves) EXPECT_LT(curve.column, made.sheets[panel.sheet].columns.size());
    EXPECT_LT(panel.x, made.sheets[panel.sheet].columns.size());
  }
  EXPECT_EQ(plot_script("title", made).empty(), made.panels.empty());
}

std::string test_name(const ::testing::TestParamInfo<const Exhibit*>& info) {
  std::string name(info.param->id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Papers, EveryExhibit, ::testing::ValuesIn(all_exhibits().begin(), all_exhibits().end()), test_name);

}  // namespace
}  // namespace quadrille::reproduce

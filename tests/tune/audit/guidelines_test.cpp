// SPDX-License-Identifier: BSD-3-Clause
// Performance guidelines: each mock-up does the same work as its left side, and judgements follow from times.
#include "tune/audit/guidelines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "tune/audit/audit.hpp"

namespace quadrille {
namespace {

Count guidelines_of(Collective collective) {
  return std::count_if(all_guidelines().begin(), all_guidelines().end(),
                       [&](const Guideline& guideline) { return guideline.left == collective; });
}

Setting setting_of(const Guideline& guideline, Count ranks, Bytes bytes, Rank rank) {
  const auto sum = built_in_operator("sum", "f64");
  return {left_side(guideline, ranks, bytes, sum.get()), is_reduction(guideline.left) ? sum : nullptr, rank};
}

std::vector<Problem> calls_of(const MockUp& mock_up) {
  std::vector<Problem> calls;
  for (const Step& step : mock_up.steps)
    if (const auto* call = std::get_if<Call>(&step)) calls.push_back(call->problem);
  return calls;
}

void expect_same(const Problem& a, const Problem& b, const std::string& where) {
  EXPECT_EQ(a.collective, b.collective) << where;
  EXPECT_EQ(a.block_bytes, b.block_bytes) << where;
  EXPECT_EQ(a.element_bytes, b.element_bytes) << where;
  ASSERT_EQ(a.counts != nullptr, b.counts != nullptr) << where;
  if (a.counts) {
    EXPECT_EQ(*a.counts, *b.counts) << where;
  }
}

// Runs all guidelines of all collectives, or only of reductions, and checks the data.
void expect_right_data(Count ranks, Bytes bytes, const std::shared_ptr<const Operator>& operation, bool reductions_only) {
  run_threads(ranks, [&](Communicator& communicator) {
    for (const Collective collective : all_collectives()) {
      if (reductions_only && !is_reduction(collective)) continue;
      const AuditResult result =
          audit(communicator, collective, bytes, {.repetitions = 1, .seconds = 1e-4, .operation = operation, .progress = {}});
      EXPECT_EQ(size(result.comparisons), guidelines_of(collective)) << name(collective);
      EXPECT_TRUE(result.left_out.empty()) << result.left_out.front().second;
      for (const Audited& comparison : result.comparisons) {
        EXPECT_EQ(comparison.failed_check, "") << name(*comparison.guideline) << ", " << ranks << " ranks";
        EXPECT_FALSE(comparison.left.empty()) << name(*comparison.guideline);
        EXPECT_GT(comparison.ratio.median, 0) << name(*comparison.guideline);
      }
    }
  });
}

TEST(Guidelines, CoverEveryCollectiveAndHaveUniqueNames) {
  std::set<std::string> names;
  for (const Guideline& guideline : all_guidelines()) names.insert(name(guideline));
  EXPECT_EQ(names.size(), all_guidelines().size());
  for (const Collective collective : all_collectives()) EXPECT_GE(guidelines_of(collective), 2) << name(collective);
}

TEST(Guidelines, CiteEntriesOfTheBibliography) {
  std::ifstream file(std::string(QUADRILLE_SOURCE_DIR) + "/docs/references.bib");
  const std::string bibliography{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(bibliography.empty());
  for (const Guideline& guideline : all_guidelines())
    if (!guideline.source.empty())
      EXPECT_NE(bibliography.find("{" + std::string(guideline.source) + ","), std::string::npos) << guideline.source;
}

TEST(Guidelines, AllRanksMakeTheSameCalls) {
  for (const Guideline& guideline : all_guidelines())
    for (const Count ranks : {1, 2, 5}) {
      const auto first = guideline.make(setting_of(guideline, ranks, 48, 0));
      ASSERT_TRUE(first) << name(guideline) << ": " << first.error();
      const auto calls = calls_of(*first);
      EXPECT_FALSE(calls.empty()) << name(guideline);
      for (const Problem& problem : calls) EXPECT_NO_THROW(check(problem)) << name(guideline);
      for (Rank rank = 1; rank < ranks; ++rank) {
        const auto others = calls_of(*guideline.make(setting_of(guideline, ranks, 48, rank)));
        ASSERT_EQ(others.size(), calls.size()) << name(guideline);
        for (std::size_t i = 0; i < calls.size(); ++i) expect_same(calls[i], others[i], name(guideline));
      }
    }
}

TEST(Guidelines, MockUpsSolveTheProblemOfTheLeftSide) {
  Count longer = 0;
  for (const Guideline& guideline : all_guidelines()) {
    const Setting setting = setting_of(guideline, 3, 48, 1);
    const MockUp mock_up = *guideline.make(setting);
    if (guideline.mock_up == "itself with twice the size") {
      ++longer;
      for (Rank rank = 0; rank < 3; ++rank)
        EXPECT_EQ(input_bytes(mock_up.problem, rank), 2 * input_bytes(setting.problem, rank)) << name(guideline);
    } else {
      expect_same(mock_up.problem, setting.problem, name(guideline));
    }
  }
  EXPECT_EQ(longer, static_cast<Count>(all_collectives().size()) - 1) << "of all but the barrier";
}

TEST(Guidelines, SharesRiseFromNothingToTwiceTheMean) {
  for (const Guideline& guideline : all_guidelines()) {
    if (guideline.shares != CountsForm::rising) continue;
    const std::vector<Bytes> counts = *setting_of(guideline, 5, 48, 0).problem.counts;
    EXPECT_EQ(counts, (std::vector<Bytes>{0, 24, 48, 72, 96})) << name(guideline);
  }
}

TEST(Guidelines, RefuseProblemsThatCannotBeHalved) {
  for (const Guideline& guideline : all_guidelines()) {
    if (guideline.mock_up != "itself twice with half the size") continue;
    const auto made = guideline.make(setting_of(guideline, 3, is_reduction(guideline.left) ? 8 : 7, 0));
    ASSERT_FALSE(made) << name(guideline);
    EXPECT_NE(made.error().find("no halves"), std::string::npos);
  }
}

TEST(Guidelines, BothSidesDeliverTheSameResult) {
  for (const Count ranks : {1, 2, 3, 4, 5}) expect_right_data(ranks, 48, built_in_operator("sum", "f64"), false);
}

TEST(Guidelines, BothSidesDeliverTheSameResultWithoutCommutativity) {
  const auto product = built_in_operator("matmul2", "u32");
  for (const Count ranks : {3, 4}) expect_right_data(ranks, 6 * product->element_bytes, product, true);
}

TEST(Guidelines, RefuseReductionsWithoutData) {
  const auto sum = built_in_operator("sum", "f64");
  EXPECT_THROW(left_side(all_guidelines().front(), 2, 0, sum.get()), Error);
}

}  // namespace
}  // namespace quadrille

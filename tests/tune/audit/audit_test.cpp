// SPDX-License-Identifier: BSD-3-Clause
// Judgements of an audit, and wrong data.
#include "tune/audit/audit.hpp"

#include <gtest/gtest.h>

#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "tune/audit/guidelines.hpp"

namespace quadrille {
namespace {

// A wrong mock-up: a gather does not give the result to the other ranks of an allgather.
Result<MockUp> gather_alone(const Setting& setting) {
  Problem gather = setting.problem;
  gather.collective = Collective::gather;
  return MockUp{setting.problem, {Call{gather, nullptr, {Place::input}, {Place::output}}}};
}

TEST(Guidelines, WrongMockUpsAreFound) {
  const std::vector<Guideline> wrong{{Collective::allgather, CountsForm::equal, "gather", "", gather_alone}};
  run_threads(3, [&](Communicator& communicator) {
    const AuditResult result = audit(communicator, Collective::allgather, 16,
                                     {.guidelines = wrong, .repetitions = 6, .seconds = 1e-3, .operation = {}, .progress = {}});
    ASSERT_EQ(result.comparisons.size(), 1u);
    EXPECT_NE(result.comparisons[0].failed_check, "");
    EXPECT_EQ(result.comparisons[0].judgement(1), Judgement::wrong_data);
  });
}

TEST(Guidelines, JudgementsFollowFromRatiosByRepetition) {
  const std::vector<double> right(9, 2.0);
  const auto verdict_of = [&](std::vector<double> left, double tolerance) {
    Audited comparison;
    comparison.ratio = ratio_by_repetitions(left, right);
    return comparison.judgement(tolerance);
  };
  // The interval of nine repetitions spans the second to the eighth figure.
  const std::vector<double> slow{1.0, 2.4, 2.5, 2.6, 2.6, 2.6, 2.7, 2.8, 9.0};
  const Spread ratio = ratio_by_repetitions(slow, right);
  EXPECT_DOUBLE_EQ(ratio.lower, 1.2);
  EXPECT_DOUBLE_EQ(ratio.median, 1.3);
  EXPECT_DOUBLE_EQ(ratio.upper, 1.4);
  EXPECT_EQ(verdict_of(slow, 1.05), Judgement::violated);
  EXPECT_EQ(verdict_of(slow, ratio.lower), Judgement::open) << "not above the tolerance";
  EXPECT_EQ(verdict_of(slow, 1.3), Judgement::open);
  EXPECT_EQ(verdict_of(slow, ratio.upper), Judgement::held);
  // Ratios are computed within a repetition, so a disturbance that slows down both sides equally has no effect.
  std::vector<double> drifting;
  for (int repetition = 0; repetition < 9; ++repetition) drifting.push_back(2.0 + repetition);
  EXPECT_DOUBLE_EQ(ratio_by_repetitions(drifting, drifting).upper, 1.0);
}

TEST(Audit, RefusesReductionsWithoutAnOperator) {
  run_threads(2, [](Communicator& communicator) {
    try {
      audit(communicator, Collective::allreduce, 8);
      ADD_FAILURE() << "it ran";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "allreduce needs an operator");
    }
  });
}

// Threads have no MPI library, so its collectives are left out with the reason, and ours are audited.
TEST(Audit, LeavesOutTheLibraryThatIsMissing) {
  run_threads(2, [](Communicator& communicator) {
    const AuditOptions options{.libraries = {Library::vendor, Library::ours}, .repetitions = 1, .seconds = 1e-4};
    const AuditResult result = audit(communicator, Collective::broadcast, 64, options);
    ASSERT_FALSE(result.comparisons.empty());
    for (const Audited& comparison : result.comparisons) EXPECT_EQ(comparison.library, Library::ours);
    EXPECT_EQ(result.left_out.size(), result.comparisons.size());
    for (const auto& [guideline, reason] : result.left_out)
      EXPECT_NE(reason.find("needs an MPI library"), std::string::npos) << reason;
  });
}

// A barrier has no size, and the ranks of a group report their progress once.
TEST(Audit, ReportsItsProgressOnRankZero) {
  run_threads(2, [](Communicator& communicator) {
    std::vector<int> seen;
    const AuditOptions options{
        .repetitions = 3, .seconds = 1e-4, .progress = [&](int repetition, int of) { seen.push_back(10 * repetition + of); }};
    const AuditResult result = audit(communicator, Collective::barrier, 64, options);
    EXPECT_EQ(result.block_bytes, 0);
    EXPECT_GE(result.runs_per_sample, 1);
    EXPECT_EQ(seen, communicator.rank() == 0 ? (std::vector{3, 13, 23}) : std::vector<int>{});
  });
}

TEST(Audit, NamesItsJudgements) {
  EXPECT_EQ(name(Judgement::held), "held");
  EXPECT_EQ(name(Judgement::wrong_data), "wrong data");
  EXPECT_EQ(name(Library::vendor), "vendor");
  EXPECT_EQ(name(Library::ours), "ours");
}

}  // namespace
}  // namespace quadrille

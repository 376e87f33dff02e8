// SPDX-License-Identifier: BSD-3-Clause
// Tests causes of findings with changed schedules: which operation they name, and how the sentences say it.
#include "quadrille/fault_cause.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadrille/verify.hpp"
#include "verify/broken_exchange.hpp"
#include "verify/changed_schedule.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

FaultCauses causes_of_exchange(const std::vector<Program>& programs) {
  const Schedule schedule = of(Problem::alltoall(2, 4), programs);
  const std::vector<Finding> findings = verify(schedule);
  const FaultCauses causes = causes_of(schedule, findings);
  expect_partition(causes, findings.size());
  return causes;
}

TEST(FaultCause, NamesTheMessageThatOverwroteABlock) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].receives[0].regions = {block(out, 0, 4)};
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::overwrites);
  EXPECT_EQ(causes.causes[0].findings.size(), 2u);
  EXPECT_EQ(causes.causes[0].message, "block 0 to 0 was lost in round 0, overwritten by the message 1 to 0");
}

TEST(FaultCause, NamesWhatIsMissing) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].locals.clear();
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::missing);
  EXPECT_EQ(causes.causes[0].message, "block 0 to 0 stays at rank 0, input[0]: a copy is missing in round 0");
  EXPECT_EQ(causes.causes[0].operation, (NamedOperation{0, NamedOperation::Kind::copy, 0, 0}));
}

// All findings of a message with one end are one cause, deadlocks included.
TEST(FaultCause, GroupsWhatAnUnfinishedMessageCauses) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].sends.clear();
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::unfinished);
  EXPECT_EQ(causes.causes[0].operation, (NamedOperation{0, NamedOperation::Kind::message, 0, 1}));
  EXPECT_GE(causes.causes[0].findings.size(), 2u);
}

TEST(FaultCause, SaysThatNothingIsDone) {
  Schedule schedule = shift(8);
  schedule.symmetry.reset();
  schedule.program = [](Rank rank) { return Program{rank, 0, {}, {}}; };
  const FaultCauses causes = causes_of_wrong(schedule);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].findings.size(), 64u);
  EXPECT_EQ(causes.causes[0].message, "the programs of all ranks are empty");
}

TEST(FaultCause, SaysThatARankIsLate) {
  const FaultCauses causes =
      causes_of_wrong(wrong_at(shift(6), [](Rank rank, Round& round) { round.number += rank == 1 ? 1 : 0; }));
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::unfinished);
  EXPECT_EQ(causes.causes[0].message, "rank 1 is 1 round late: the message 0 to 1 is sent in round 0 and received in round 1");
}

TEST(FaultCause, SaysThatTheEndsOfAMessageAreInDifferentRounds) {
  std::vector<Program> programs = exchange();
  programs[0].stages[0].round_count = programs[1].stages[0].round_count = 2;
  programs[0].rounds.push_back({1, {}, std::move(programs[0].rounds[0].sends), {}, {}, {}});
  programs[0].rounds[0].sends.clear();
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].message, "the message 0 to 1 is sent in round 1 and received in round 0");
}

TEST(FaultCause, MistakesAtDifferentRanksStayApart) {
  const FaultCauses causes = causes_after(make_schedule(Problem::alltoall(8, 8), "direct"), [](std::vector<Program>& programs) {
    programs[1].rounds[0].receives.pop_back();
    programs[4].rounds[0].receives[0].regions[0].buffer = in;
    programs[6].rounds[0].receives.push_back(programs[6].rounds[0].receives[0]);
  });
  EXPECT_GE(causes.causes.size(), 2u);
}

TEST(FaultCause, DifferentMistakesAreDifferentCauses) {
  const FaultCauses causes = causes_of_wrong(wrong_at(shift(8), [](Rank rank, Round& round) {
    for (Local& local : round.locals)
      if (rank == 1) local.source[0].offset = 0;
    for (Message& message : round.receives)
      if (rank == 5 && message.peer == 4) message.regions[0].offset = 0;
  }));
  EXPECT_EQ(causes.causes.size(), 2u);
  for (const FaultCause& cause : causes.causes) EXPECT_THAT(cause.alike, ::testing::IsEmpty());
}

// Findings about the programs themselves come first, although others are more.
TEST(FaultCause, ARankThatDoesNotExistComesFirst) {
  const Schedule schedule = wrong_at(shift(8), [](Rank rank, Round& round) {
    if (rank == 0) round.locals.clear();
    if (rank == 7 && round.number == 3) round.sends[0].peer = 99;
    if (rank == 1 && round.number == 0) round.sends[0].regions[0].length = 3;
    for (Message& message : round.receives)
      if (rank == 5) message.regions[0].offset = 4 * 5;
  });
  const std::vector<Finding> findings = verify(schedule);
  EXPECT_EQ(findings[0].rule, Rule::unknown_rank);
  EXPECT_EQ(findings[1].rule, Rule::length_mismatch);
  const FaultCauses causes = causes_of(schedule, findings);
  EXPECT_EQ(causes.causes[0].message, "the message 7 to 99 in round 3 is not finished: there is no rank 99; ranks are 0 to 7");
  EXPECT_LT(causes.causes[0].findings.size(), causes.causes[2].findings.size());
}

TEST(FaultCause, Counts) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].receives[0].regions = {block(out, 0, 4)};
  const Schedule schedule = of(Problem::alltoall(2, 4), programs);
  std::vector<Finding> findings = verify(schedule);
  EXPECT_EQ(count_of(findings, causes_of(schedule, findings)), "2 findings, one cause");
  EXPECT_EQ(count_of(findings, {}), "2 findings");
  findings.resize(1);
  EXPECT_EQ(count_of(findings, {{{.findings = {0}}}, ""}), "1 finding, one cause");
  findings.resize(most_counted_findings);
  EXPECT_EQ(count_of(findings, {{{.kind = CauseKind::missing}, {.kind = CauseKind::missing}}, ""}),
            "at least 10000 findings; the first of these have 2 causes");
}

TEST(FaultCause, RightSchedulesHaveNone) { EXPECT_TRUE(causes_of_exchange(exchange()).causes.empty()); }

// A region of more single bytes than are kept.
TEST(FaultCause, SaysWhenAScheduleIsTooLarge) {
  constexpr Bytes length = Bytes{3} << 20;
  Problem problem;
  problem.collective = Collective::broadcast;
  problem.ranks = 2;
  problem.block_bytes = length;
  const Regions bytes_of_input{{in, 0, 1, {{{length, 1}, {}, {}}}}}, output{{out, 0, length, {}}};
  const Schedule schedule = of(problem, {{0, 0, {{"all", 0, 1}}, {{0, {}, {{1, bytes_of_input, {}}}, {}, {}, {}}}},
                                         {1, 0, {{"all", 0, 1}}, {{0, {}, {}, {{0, output, {}}}, {}, {}}}}});
  const std::vector<Finding> findings = verify(schedule);
  ASSERT_EQ(findings.size(), 1u);  // the root's own output
  const FaultCauses causes = causes_of(schedule, findings);
  EXPECT_TRUE(causes.causes.empty());
  EXPECT_EQ(causes.note, "no causes were sought: its operations have too many runs to follow single bytes");
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Checks the content of space-time diagrams.
#include "quadrille/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/sayings.hpp"
#include "support/cases.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::IsSupersetOf;

TEST(Draw, SpaceTimeHasAnArrowForEachMessage) {
  const Read picture(draw_space_time(make_schedule(Problem::alltoall(5, 8), "bruck:radix=2")));
  const auto arrows = picture.explanations("path");
  EXPECT_EQ(arrows.size(), 15u);
  EXPECT_THAT(arrows, IsSupersetOf({"round 0: 0 to 1, 16 B", "round 1: 4 to 1, 16 B", "round 2: 0 to 4, 8 B"}));
  EXPECT_THAT(picture.texts(), IsSupersetOf({"rank 0", "4", "level 0", "level 1", "level 2", "16 B", "8 B"}));
  EXPECT_EQ(count_of(picture.explanations("rect"), "local work"), 5u) << "each rank copies its own block";
}

TEST(Draw, SpaceTimeShowsCountsAndBarriers) {
  const Schedule schedule = make_schedule(problem_of(Collective::alltoallv, 4, 8), "two-phase:counts=gathered");
  Count control = 0, sent = 0;
  for (Rank rank = 0; rank < 4; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      control += static_cast<Count>(round.control_sends.size());
      sent += static_cast<Count>(round.sends.size());
    }
  ASSERT_GT(control, 0);
  EXPECT_EQ(static_cast<Count>(Read(draw_space_time(schedule)).explanations("path").size()), control + sent);
  const Read barrier(draw_space_time(make_schedule(problem_of(Collective::barrier, 5, 0), "dissemination")));
  EXPECT_EQ(barrier.explanations("path").size(), 15u);
}

// The sentences of the rounds stand below the picture, and where the pointer is on a round. Those that a file would not have are
// absent.
TEST(Draw, PicturesSayWhatTheAlgorithmSaysOfTheRounds) {
  Schedule schedule = make_schedule(Problem::alltoall(16, 8), "bruck:radix=2");
  const auto said = [&] {
    const Read picture(draw_space_time(schedule));
    return count_of(picture.texts(), "whose distance") + 10 * count_of(picture.explanations("rect"), "whose distance");
  };
  EXPECT_EQ(said(), 44u);
  EXPECT_EQ(count_of(Read(draw_blocks(schedule)).texts(), "whose distance"), 4u);
  EXPECT_EQ(count_of(Read(draw_traffic(schedule, {.round = 1})).texts(), "round 1: Every rank sends the 8 blocks"), 1u);
  EXPECT_EQ(count_of(Read(draw_traffic(schedule)).texts(), "Every rank"), 0u) << "of all rounds together";
  schedule.says = [](Count round) { return round == 3 ? "Others rest" : round == 1 ? "" : "All whose distance is odd"; };
  EXPECT_EQ(said(), 22u);
  const Count rounds[] = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(sayings(schedule, rounds),
            (std::vector<std::string>{"round 0: All whose distance is odd", "round 2: All whose distance is odd",
                                      "round 3: Others rest", "rounds 4 to 5: All whose distance is odd"}));
  schedule.says = nullptr;
  EXPECT_EQ(said(), 0u);
}

std::size_t dashed(const Read& picture) {
  std::size_t count = 0;
  for (const auto node : picture.explained("round ")) count += node.attribute("stroke-dasharray") ? 1 : 0;
  return count;
}

// Control messages are dashed, and only they: those of a barrier, and counts.
TEST(Draw, SpaceTimeDashesControlMessages) {
  const Read barrier(draw_space_time(make_schedule(problem_of(Collective::barrier, 5, 0), "dissemination")));
  EXPECT_EQ(dashed(barrier), 15u);
  EXPECT_THAT(barrier.texts(), ::testing::Contains("dashed: control messages (counts, headers, signals)"));
  const Read counts(draw_space_time(make_schedule(problem_of(Collective::alltoallv, 4, 8), "two-phase:counts=gathered")));
  EXPECT_EQ(dashed(counts), count_of(counts.explanations("path"), "of counts or headers"));
  EXPECT_EQ(dashed(Read(draw_space_time(make_schedule(Problem::alltoall(5, 8), "bruck")))), 0u);
}

TEST(Draw, SpaceTimeOfOneRankAlone) {
  const Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck:radix=2");
  const auto arrows = Read(draw_space_time(schedule, {.only_rank = 2})).explanations("path");
  EXPECT_EQ(arrows.size(), 6u) << "one out and one in for each of 3 rounds";
  for (const std::string& arrow : arrows)
    EXPECT_TRUE(arrow.find(": 2 to") != std::string::npos || arrow.find(" to 2,") != std::string::npos) << arrow;
}

// Of 64 ranks, one is strong and eight are faint in each round; some of these arrows are the strong rank's.
TEST(Draw, SpaceTimeOfManyMessagesHasOneStrongRank) {
  const Read picture(draw_space_time(make_schedule(Problem::alltoall(64, 8), "bruck:radix=2")));
  std::size_t strong = 0, faint = 0;
  for (const auto node : picture.explained(" to ")) {
    const std::string text = node.child("title").text().get();
    if (std::string(node.name()) != "path") continue;  // of a round
    const bool of_rank_0 = text.find(": 0 to") != std::string::npos || text.find(" to 0,") != std::string::npos;
    EXPECT_EQ(static_cast<bool>(node.attribute("stroke-opacity")), !of_rank_0) << text;
    (of_rank_0 ? strong : faint) += 1;
  }
  EXPECT_EQ(strong, 6u * 2);
  EXPECT_LE(faint, 6u * 7);
  EXPECT_GE(faint, 6u * 6);
  picture.expect_inside();
}

TEST(DrawWrong, SpaceTimeMarksTheRound) {
  const Schedule schedule = wrong_bruck();
  const Read picture(draw_space_time(schedule, {.findings = verify(schedule)}));
  EXPECT_EQ(picture.count("rect", "fault"), 1u);
  picture.expect_no_covered_text();
}

TEST(DrawWrong, SpaceTimeDrawsHalfAnArrowForAMessageWithOneEnd) {
  const Schedule missing = wrong_bruck();
  const auto waits = Read(draw_space_time(missing, {.findings = verify(missing)})).explanations("path");
  EXPECT_EQ(count_of(waits, "round 2: 4 waits for a message of 0, which sends none"), 1u);
  EXPECT_EQ(count_of(waits, "which nobody receives"), 0u);
  Schedule deaf = make_schedule(Problem::alltoall(5, 8), "bruck:radix=2");
  deaf.symmetry.reset();
  deaf.program = [made = deaf.program](Rank rank) {
    Program program = made(rank);
    if (rank == 3) program.rounds.back().receives.clear();
    return program;
  };
  const auto unheard = Read(draw_space_time(deaf, {.findings = verify(deaf)})).explanations("path");
  EXPECT_EQ(count_of(unheard, "round 2: 4 to 3, 8 B, which nobody receives"), 1u);
  EXPECT_EQ(count_of(unheard, "nobody receives"), 1u);
}

}  // namespace
}  // namespace quadrille

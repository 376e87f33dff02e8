// SPDX-License-Identifier: BSD-3-Clause
// One mistake that is made in many programs or rounds is one cause, which says how often it occurs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/changed_schedule.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(AlikeCauses, TheSameMistakeAtManyRanksIsOneCause) {
  for (const Count p : {5, 8, 16}) {
    for (const Rank right : {Rank{-1}, Rank{2}}) {
      const FaultCauses causes = causes_of_wrong(wrong_at(shift(p), [=](Rank rank, Round& round) {
        for (Local& local : round.locals)
          if (rank != right) local.source[0].offset = (local.source[0].offset + 4) % (4 * p);
      }));
      ASSERT_EQ(causes.causes.size(), 1u);
      EXPECT_EQ(causes.causes[0].kind, CauseKind::wrong_source);
      EXPECT_EQ(causes.causes[0].alike.size(), static_cast<std::size_t>(right < 0 ? p - 1 : p - 2));
      EXPECT_EQ(causes.causes[0].message,
                "a copy at rank 0 in round 0 reads rank 0, input[4], but block 0 to 0 is at rank 0, input[0]; the same at " +
                    (right < 0 ? "every rank" : std::to_string(p - 1) + " of " + std::to_string(p) + " ranks"));
    }
  }
}

TEST(AlikeCauses, TheSameMistakeInAllRoundsIsOneCause) {
  const FaultCauses causes = causes_of_wrong(wrong_at(shift(7), [](Rank, Round& round) {
    for (Message& message : round.receives) message.regions[0].offset = (message.regions[0].offset + 4) % 28;
  }));
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].alike.size(), 41u);
  EXPECT_THAT(causes.causes[0].message, ::testing::EndsWith("; the same for 42 of 42 messages in rounds 0 to 5"));
}

TEST(AlikeCauses, WhatOneRankOmitsIsOneCause) {
  const FaultCauses causes = causes_of_wrong(wrong_at(shift(7), [](Rank rank, Round& round) {
    const auto is_of_3 = [=](const Message& message) { return rank == 3 || message.peer == 3; };
    if (rank == 3)
      round.sends.clear();
    else
      std::erase_if(round.receives, is_of_3);
  }));
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::missing);
  EXPECT_EQ(
      causes.causes[0].message,
      "block 3 to 0 stays at rank 3, input[0]: a message to rank 0 is missing in one of the rounds 0 to 5; the same for 6 of 6 "
      "messages from rank 3");
}

TEST(AlikeCauses, MessagesWithOneEndAtEveryRankAreOneCause) {
  for (const Count p : {2, 6}) {
    const FaultCauses causes = causes_of_wrong(wrong_at(shift(p), [](Rank, Round& round) {
      if (round.number == 0) round.sends.clear();
    }));
    ASSERT_EQ(causes.causes.size(), 1u);
    EXPECT_EQ(causes.causes[0].kind, CauseKind::unfinished);
    EXPECT_THAT(causes.causes[0].message, ::testing::EndsWith("; the same at every rank"));
  }
}

TEST(AlikeCauses, ARuleThatIsBrokenAtEveryRankIsOneCause) {
  VerifyOptions options;
  options.port_limit = 1;
  const Schedule direct = make_schedule(Problem::alltoall(6, 4), "direct");
  const FaultCauses causes = causes_of_wrong(direct, options);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::rule);
  EXPECT_FALSE(is_its_finding(causes.causes[0]));
  EXPECT_EQ(causes.causes[0].message,
            "rank 0, stage 'exchange', round 0: port-limit: sends 5 messages in one round on 1 ports; the same at every rank");
}

}  // namespace
}  // namespace quadrille

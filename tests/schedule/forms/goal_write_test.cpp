// SPDX-License-Identifier: BSD-3-Clause
// GOAL has the messages of the schedule, each received by the right rank, and they wait for each other as under the policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/forms/documents.hpp"
#include "support/cases.hpp"
#include "support/goal_text.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using testing::GoalMessage;
using testing::GoalReplay;
using testing::GoalText;

constexpr Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};

std::string goal_of(const Schedule& schedule, Policy policy) {
  std::ostringstream out;
  write_goal(out, schedule, policy);
  return out.str();
}

GoalReplay replay_of(const Schedule& schedule, Policy policy) { return GoalText(goal_of(schedule, policy)).replay(); }

std::multiset<GoalMessage> messages_of(const Schedule& schedule) {
  std::multiset<GoalMessage> messages;
  for (const Program& program : programs_of(schedule))
    for (const Round& round : program.rounds) {
      for (const Message& send : round.sends) messages.insert({program.rank, send.peer, bytes(send.regions)});
      for (const Control& control : round.control_sends) messages.insert({program.rank, control.peer, control.bytes});
    }
  return messages;
}

TEST(Goal, HasTheMessagesOfEverySchedule) {
  for_each_schedule(testing::extent<Count>(5, 6, 9), {1, 24}, [](const Schedule& schedule) {
    for (const Policy policy : policies) {
      const GoalReplay replay = replay_of(schedule, policy);
      EXPECT_EQ(replay.trouble, "") << specification(schedule);
      EXPECT_EQ(replay.messages, messages_of(schedule)) << specification(schedule);
    }
  });
}

TEST(Goal, HasTheOrderOfThePolicy) {
  // Round by round each rank passes on what it has just received.
  for (const Policy policy : policies) EXPECT_EQ(replay_of(make_schedule(Problem::allgather(8, 16), "ring"), policy).depth, 7);
  // Blocks of an exchange do not depend on each other, but under `blocking` the rounds do.
  const Schedule shift = make_schedule(Problem::alltoall(8, 16), "shift");
  EXPECT_EQ(replay_of(shift, Policy::blocking).depth, 7);
  EXPECT_EQ(replay_of(shift, Policy::nonblocking).depth, 1);
  EXPECT_EQ(replay_of(shift, Policy::dataflow).depth, 1);
}

TEST(Goal, IsATextOfLabels) {
  EXPECT_EQ(goal_of(make_schedule(Problem::allgather(2, 8), "ring"), Policy::blocking),
            "num_ranks 2\n"
            "\n"
            "rank 0 {\n"
            "l1: calc 0\n"
            "l2: send 8b to 1 tag 0\n"
            "l3: recv 8b from 1 tag 0\n"
            "l2 requires l1\n"
            "l3 requires l1\n"
            "l4: calc 0\n"
            "l4 requires l2\n"
            "l4 requires l3\n"
            "}\n"
            "\n"
            "rank 1 {\n"
            "l1: calc 0\n"
            "l2: send 8b to 0 tag 0\n"
            "l3: recv 8b from 0 tag 0\n"
            "l2 requires l1\n"
            "l3 requires l1\n"
            "l4: calc 0\n"
            "l4 requires l2\n"
            "l4 requires l3\n"
            "}\n");
}

TEST(Goal, CannotBeReadAsASchedule) {
  const std::string goal = goal_of(make_schedule(Problem::allgather(2, 8), "ring"), Policy::blocking);
  EXPECT_THAT(testing::sentence_of([&] { parse_documents(goal); }),
              ::testing::HasSubstr("does not say which bytes messages carry"));
}

}  // namespace
}  // namespace quadrille

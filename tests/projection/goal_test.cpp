// SPDX-License-Identifier: BSD-3-Clause
// Recordings as GOAL: the messages of each call's schedule among the right ranks, and the computing between calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/vendor_choice.hpp"
#include "support/goal_text.hpp"
#include "support/made_recording.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using testing::GoalMessage;
using testing::GoalReplay;
using testing::GoalText;
using testing::MadeRecording;

class GoalOfRecordings : public ::testing::Test {
 protected:
  GoalOfRecordings() {
    for (Rank rank = 0; rank < 6; ++rank) options_.nodes.push_back(rank / 2);
    options_.machine = find_machine("hdr");
  }

  void call(const std::vector<Rank>& members, std::uint32_t site, double gap_us = 0) {
    for (const Rank rank : members) program_.add(rank, site, {.gap_us = gap_us, .duration_us = 50});
  }

  GoalReplay written(Implementation side = Implementation::ours) const {
    std::ostringstream out;
    write_goal(out, program_.made(), options_, side);
    return GoalText(out.str()).replay();
  }

  // The messages of a schedule whose rank i is members[i].
  void expect(const Problem& problem, const Choice& choice, const std::vector<Rank>& members) {
    const Schedule schedule = make_schedule(problem, choice);
    for (Rank rank = 0; rank < problem.ranks; ++rank)
      for (const Round& round : schedule.program(rank).rounds)
        for (const Message& send : round.sends)
          expected_.insert({members[index(rank)], members[index(send.peer)], bytes(send.regions)});
  }
  void expect(const Problem& problem, const std::string& algorithm, const std::vector<Rank>& members) {
    expect(problem, parse_choice(problem, algorithm), members);
  }

  MadeRecording program_{6};
  ProjectionOptions options_;
  std::multiset<GoalMessage> expected_;
  const std::vector<Rank> world_{0, 1, 2, 3, 4, 5}, odd_{5, 3, 1};
};

TEST_F(GoalOfRecordings, HaveTheSchedulesOfCommunicatorsAndCounts) {
  const std::size_t odd = program_.communicator(odd_);
  options_.chosen = {{Collective::alltoall, "bruck"}, {Collective::alltoallv, "shift"}, {Collective::broadcast, "chain"}};
  const auto exchange = program_.site({.function = "Alltoall", .block_bytes = 64});
  const auto broadcast = program_.site({.function = "Bcast", .communicator = odd, .root = 1, .block_bytes = 40});
  for (int i = 0; i < 3; ++i) {
    call(world_, exchange);
    call(odd_, broadcast);
  }
  std::vector<Bytes> matrix;
  for (Rank rank = 0; rank < 6; ++rank) {
    std::vector<Bytes> counts;
    for (Rank to = 0; to < 6; ++to) counts.push_back((rank + 2 * to) % 4);
    matrix.insert(matrix.end(), counts.begin(), counts.end());
    program_.add(rank, program_.site({.function = "Alltoallv", .block_bytes = 9, .counts = counts}), {.duration_us = 9});
  }
  for (int i = 0; i < 3; ++i) {
    expect(Problem::alltoall(6, 64), "bruck", world_);
    expect(Problem{.collective = Collective::broadcast, .ranks = 3, .block_bytes = 40, .root = 1}, "chain", odd_);
  }
  expect(Problem{.collective = Collective::alltoallv, .ranks = 6, .counts = std::make_shared<const std::vector<Bytes>>(matrix)},
         "shift", world_);
  const GoalReplay replay = written();
  EXPECT_EQ(replay.trouble, "");
  EXPECT_EQ(replay.messages, expected_);
}

TEST_F(GoalOfRecordings, HaveTheVendorsSchedules) {
  options_.chosen = {{Collective::alltoall, "bruck"}};
  call(world_, program_.site({.function = "Alltoall", .block_bytes = 65536}));
  Problem problem = Problem::alltoall(6, 65536);
  problem.nodes = options_.nodes;
  const auto name = vendor_algorithm("openmpi", problem);
  ASSERT_TRUE(name);
  expect(problem, *vendor_equivalent("openmpi", problem, *name), world_);
  EXPECT_EQ(written(Implementation::vendor).messages, expected_);
  EXPECT_NE(written(Implementation::ours).messages, expected_);
}

TEST_F(GoalOfRecordings, ComputeBetweenCalls) {
  options_.computing = 2;
  const auto barrier = program_.site({.function = "Barrier"});
  const auto messages = program_.site({.kind = RecordedKind::point_to_point});
  call(world_, barrier, 100);
  program_.add(3, messages, {.gap_us = 10, .duration_us = 1000});
  call(world_, barrier, 100);
  const GoalReplay replay = written();
  EXPECT_EQ(replay.trouble, "");
  for (const Rank rank : world_) {
    EXPECT_NEAR(static_cast<double>(replay.computing_ns[index(rank)]), rank == 3 ? 1.42e6 : 0.4e6, 2e4) << rank;
    EXPECT_NEAR(static_cast<double>(replay.ends_ns[index(rank)]), 1.42e6, 2e4) << "all wait for rank 3";
  }
}

TEST_F(GoalOfRecordings, LetNonblockingCallsOverlap) {
  const RecordedSite sum{.kind = RecordedKind::start, .function = "Iallreduce", .type_bytes = 8, .block_bytes = 8};
  RecordedSite completed = sum;
  completed.kind = RecordedKind::completion;
  const auto start = program_.site(sum), completion = program_.site(completed);
  for (const Rank rank : world_) program_.add(rank, start, {.gap_us = rank == 0 ? 500. : 0.});
  for (const Rank rank : world_) program_.add(rank, completion, {.gap_us = 400});
  const GoalReplay replay = written();
  EXPECT_EQ(replay.trouble, "");
  EXPECT_FALSE(replay.messages.empty());
  EXPECT_NEAR(static_cast<double>(replay.ends_ns[0]), 900e3, 2e4);
  EXPECT_NEAR(static_cast<double>(replay.ends_ns[4]), 500e3, 2e4) << "it computes 400 us while it waits for rank 0's 500 us";
}

TEST_F(GoalOfRecordings, WaitForEachOtherWhereCommunicatorsAreMade) {
  const auto making = program_.site({.kind = RecordedKind::making, .function = "Comm_dup"});
  for (const Rank rank : world_)
    program_.add(rank, making, {.gap_us = rank == 2 ? 300. : 0., .duration_us = rank == 2 ? 20. : 320.});
  const GoalReplay replay = written();
  EXPECT_EQ(replay.trouble, "");
  for (const Rank rank : world_) EXPECT_NEAR(static_cast<double>(replay.ends_ns[index(rank)]), 320e3, 2e4) << rank;
}

TEST_F(GoalOfRecordings, TakeWhatWasRecordedOfUnknownCalls) {
  call(world_, program_.site({.function = "Alltoallv", .block_bytes = 9}), 0);   // without counts
  program_.add(0, program_.site({.function = "Barrier"}), {.duration_us = 70});  // which the others never enter
  const GoalReplay replay = written();
  EXPECT_EQ(replay.trouble, "");
  EXPECT_TRUE(replay.messages.empty());
  EXPECT_NEAR(static_cast<double>(replay.computing_ns[0]), 120e3, 6e3);
  EXPECT_NEAR(static_cast<double>(replay.computing_ns[1]), 50e3, 3e3);
}

TEST_F(GoalOfRecordings, RefuseWhatGoalCannotSay) {
  call(world_, program_.site({.function = "Barrier"}));
  options_.total_cores = 2;
  EXPECT_THAT(testing::sentence_of([&] { written(); }), ::testing::HasSubstr("GOAL"));
  options_.total_cores = 0, options_.without_late_ranks = true;
  EXPECT_THAT(testing::sentence_of([&] { written(); }), ::testing::HasSubstr("GOAL"));
}

}  // namespace
}  // namespace quadrille

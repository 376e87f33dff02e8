// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "quadrille/candidate.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/verify.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

// Ranks exchange their blocks with all others in one round.
Program one_round(const Problem& problem, Rank me) {
  ProgramBuilder program{me};
  program.stage("exchange");
  program.begin_round();
  const Bytes b = problem.block_bytes;
  program.copy({{Buffer::input, me * b, b}}, {{Buffer::output, me * b, b}});
  for (Rank peer = 0; peer < problem.ranks; ++peer) {
    if (peer == me) continue;
    program.send(peer, {{Buffer::input, peer * b, b}});
    program.receive(peer, {{Buffer::output, peer * b, b}});
  }
  return std::move(program).finish();
}

TEST(Family, OfProgramsIsVerifiedForManyRanksAndSizes) {
  const Family family = family_of_programs("one-round", one_round);
  for (const Count p : {1, 2, 3, 8})
    for (const Bytes b : {1, 8, 1000}) {
      const Problem problem = Problem::alltoall(p, b);
      const Schedule schedule = make_schedule(problem, family);
      EXPECT_TRUE(verify(schedule).empty()) << p << " ranks, " << b << " bytes";
      EXPECT_EQ(schedule.algorithm, "one-round");
    }
  EXPECT_FALSE(verify(make_schedule(Problem::allgather(3, 8), family)).empty()) << "it is an alltoall";
}

TEST(Family, MakesOneProgramAtATime) {
  std::atomic<int> made = 0;
  const Family family = family_of_programs("counted", [&](const Problem& problem, Rank rank) {
    ++made;
    return one_round(problem, rank);
  });
  const Schedule schedule = family.schedule(Problem::alltoall(1000, 8)).value();
  EXPECT_EQ(made, 0);
  EXPECT_EQ(schedule.program(7), one_round(Problem::alltoall(1000, 8), 7));
  EXPECT_EQ(made, 1);
}

TEST(Family, OfSchedulesHasOneForEachOfTheirProblems) {
  const Problem small = Problem::alltoall(3, 8), large = Problem::alltoall(3, 1024);
  const Family family = family_of_schedules("two", {make_schedule(small, "bruck"), make_schedule(large, "direct")});
  EXPECT_EQ(family.schedule(small)->program(1), make_schedule(small, "bruck").program(1));
  EXPECT_EQ(family.schedule(large)->program(1), make_schedule(large, "direct").program(1));
  EXPECT_EQ(specification(*family.schedule(large)), "two");
  EXPECT_EQ(family.schedule(Problem::alltoall(3, 16)).error(),
            "none of the given schedules is for alltoall among 3 ranks, 16 B a block");
  EXPECT_EQ(family_of_schedules("bruck", {make_schedule(small, "bruck")}).schedule(large).error(),
            "the given schedule is for alltoall among 3 ranks, 8 B a block, not for alltoall among 3 ranks, 1 KiB a block");
  EXPECT_FALSE(family.schedule(Problem::alltoall(4, 8)));
  EXPECT_FALSE(family.schedule(Problem::allgather(3, 8)));
  // The place of the ranks is no other problem; the schedule takes it over.
  Problem placed = small;
  placed.nodes = {0, 0, 1};
  EXPECT_EQ(family.schedule(placed)->problem.nodes, placed.nodes);
}

TEST(Family, KeepsTheLimitOfPortsThatADocumentStates) {
  const Problem problem = Problem::alltoall(4, 8);
  Schedule direct = make_schedule(problem, "direct");
  direct.parameters = {{"ports", Count{2}}};
  const Schedule made = family_of_schedules("mine", {direct}).schedule(problem).value();
  EXPECT_EQ(made.port_limit, 2);
  EXPECT_EQ(verify(made).front().rule, Rule::port_limit);  // ranks send 3 messages in a round
}

TEST(Family, ThatMakesAScheduleOfAnotherProblemIsRefused) {
  const Family family("fixed", [](const Problem&) { return make_schedule(Problem::broadcast(4, 8, 1), "binomial"); });
  EXPECT_TRUE(family.schedule(Problem::broadcast(4, 8, 1)));
  EXPECT_EQ(
      sentence_of([&] { family.schedule(Problem::broadcast(4, 8, 2)); }),
      "fixed makes a schedule for broadcast among 4 ranks, 8 B a block, root 1 instead of broadcast among 4 ranks, 8 B a block, "
      "root 2");
}

TEST(Candidate, IsAFamily) {
  const Family one = family_of_programs("mine", one_round), same = one, other = family_of_programs("mine", one_round);
  EXPECT_EQ(Candidate(one), Candidate(same));
  EXPECT_NE(Candidate(one), Candidate(other));
  const Problem problem = Problem::alltoall(3, 8);
  EXPECT_NE(Candidate(one), parse_candidate(problem, "direct"));
  EXPECT_FALSE(is_vendor(one));
  EXPECT_EQ(specification(Candidate(one)), "mine");
  EXPECT_EQ(short_name(problem, one), "mine");
}

TEST(Candidate, WithoutAScheduleForTheProblemSaysWhy) {
  const Problem problem = Problem::alltoall(3, 8);
  EXPECT_EQ(make_schedule(problem, parse_candidate(problem, "bruck:radix=3")).program(0),
            make_schedule(problem, "bruck:radix=3").program(0));
  const Family none("none", [](const Problem&) -> Result<Schedule> { return cannot("it is empty"); });
  EXPECT_EQ(sentence_of([&] { make_schedule(problem, none); }), "none does not apply: it is empty");
  EXPECT_THAT(sentence_of([&] { make_schedule(problem, Candidate(Vendor{})); }), HasSubstr("vendor has no schedule"));
}

}  // namespace
}  // namespace quadrille

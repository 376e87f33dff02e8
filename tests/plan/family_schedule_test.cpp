// SPDX-License-Identifier: BSD-3-Clause
// Plans of families: each rank, or rank 0 alone, makes the schedule.
#include "plan/given_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "quadrille/algorithm.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "support/sentence_of.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using MadeBy = Family::MadeBy;

Result<Schedule> bruck_up_to_1024(const Problem& problem) {
  if (problem.block_bytes > 1024) return cannot("blocks are longer than 1024 B");
  return make_schedule(problem, "bruck:radix=3");
}

// Describes what is wrong with the rank's output; empty if it is right.
std::string wrong_data(Plan& made, const Problem& problem, Rank me) {
  const auto data = probe_data(problem, me, nullptr);
  std::vector<std::byte> input(index(input_bytes(problem, me))), output(index(output_bytes(problem, me)));
  for (int pass = 0; pass < data->pass_count(); ++pass) {
    data->fill_input(pass, input.data());
    data->spoil_output(pass, output.data());
    made.execute(input.data(), output.data());
    if (std::string wrong = data->compare_output(pass, output.data()); !wrong.empty()) return wrong;
  }
  return "";
}

TEST(FamilyPlan, RunsWhoeverMakesTheSchedule) {
  for (const MadeBy made_by : {MadeBy::every_rank, MadeBy::first_rank}) {
    const Family family("mine", bruck_up_to_1024, made_by);
    run_threads(5, [&](Communicator& threads) {
      for (const Bytes b : {1, 1024}) {
        const Problem problem = Problem::alltoall(5, b);
        Plan made = plan(threads, problem, {.algorithm = Candidate(family)});
        EXPECT_EQ(wrong_data(made, problem, threads.rank()), "");
        EXPECT_EQ(made.algorithm(), "mine");
      }
    });
  }
}

// One family on threads counts the calls of all ranks.
TEST(FamilyPlan, IsMadeByRankZeroOnceForEachPlan) {
  std::atomic<int> calls = 0;
  const Family family(
      "mine", [&](const Problem& problem) { return ++calls, bruck_up_to_1024(problem); }, MadeBy::first_rank);
  run_threads(4, [&](Communicator& threads) {
    for (int i = 0; i < 3; ++i) {
      const Result<Schedule> schedule = schedule_of(threads, family, Problem::alltoall(4, 8));
      ASSERT_TRUE(schedule);
      EXPECT_EQ(schedule->program(threads.rank()), make_schedule(Problem::alltoall(4, 8), "bruck:radix=3").program(threads.rank()));
      EXPECT_EQ(schedule->algorithm, "mine");
      EXPECT_EQ(schedule->port_limit, 1);
    }
  });
  EXPECT_EQ(calls, 3);
}

// Each rank calls `make` and gets the error that all ranks throw alike, apart from the words that name the rank.
void expect_refusal(const std::function<void(Communicator&)>& make, const ::testing::Matcher<std::string>& expected) {
  run_threads(3, [&](Communicator& threads) {
    EXPECT_THAT(sentence_of([&] { make(threads); }), expected);
    threads.barrier();  // the group must still be usable
  });
}

TEST(FamilyPlan, WithoutAScheduleSaysWhyOnAllRanks) {
  for (const MadeBy made_by : {MadeBy::every_rank, MadeBy::first_rank}) {
    const Family family("mine", bruck_up_to_1024, made_by);
    expect_refusal([&](Communicator& threads) { plan(threads, Problem::alltoall(3, 1025), {.algorithm = Candidate(family)}); },
                   "mine does not apply: blocks are longer than 1024 B");
  }
  // Ranks that know different reasons say that of the first one.
  const Family some("some", [](const Problem& problem) -> Result<Schedule> { return make_schedule(problem, "bruck"); });
  std::array<Family, 3> families{some, some, some};
  for (std::size_t rank : {1u, 2u})
    families[rank] = Family("some", [rank](const Problem&) -> Result<Schedule> { return cannot(std::string(rank, 'x')); });
  expect_refusal(
      [&](Communicator& threads) {
        plan(threads, Problem::alltoall(3, 8), {.algorithm = Candidate(families[index(threads.rank())])});
      },
      "some does not apply: x");
}

TEST(FamilyPlan, ThrowsOnAllRanksWhatOneThrows) {
  for (const MadeBy made_by : {MadeBy::every_rank, MadeBy::first_rank}) {
    const Family family(
        "mine", [](const Problem&) -> Result<Schedule> { throw Error(ErrorCode::environment, "no disk"); }, made_by);
    expect_refusal([&](Communicator& threads) { plan(threads, Problem::alltoall(3, 8), {.algorithm = Candidate(family)}); },
                   EndsWith("no disk"));
  }
}

TEST(FamilyPlan, IsRefusedIfItIsWrong) {
  const auto broken = [](const Problem& problem) -> Result<Schedule> {
    Schedule schedule = make_schedule(problem, "direct");
    schedule.program = [make = schedule.program](Rank rank) {
      Program program = make(rank);
      if (rank == 1) program.rounds.front().sends.pop_back();
      return program;
    };
    schedule.symmetry.reset();
    return schedule;
  };
  for (const MadeBy made_by : {MadeBy::every_rank, MadeBy::first_rank})
    expect_refusal(
        [&](Communicator& threads) {
          plan(threads, Problem::alltoall(3, 8), {.algorithm = Candidate(Family("broken", broken, made_by))});
        },
        HasSubstr("the schedule of broken is wrong: "));
}

// No rank may wait for a schedule that rank 0 does not send.
TEST(FamilyPlan, IsRefusedIfRanksAskForDifferentThings) {
  const Family family("mine", bruck_up_to_1024, MadeBy::first_rank);
  expect_refusal(
      [&](Communicator& threads) {
        PlanOptions options{.algorithm = Candidate(family)};
        if (threads.rank() == 1) options.algorithm = "bruck:radix=3";
        plan(threads, Problem::alltoall(3, 8), options);
      },
      AllOf(HasSubstr("mine of the caller's own"), HasSubstr("all ranks must ask for the same plan")));
  expect_refusal(
      [&](Communicator& threads) {
        plan(threads, Problem::alltoall(3, threads.rank() == 2 ? 16 : 8), {.algorithm = Candidate(family)});
      },
      HasSubstr("the sizes of alltoall differ: rank 2 gives 16 B, rank 0 8 B"));
}

// A text that is longer than the parts in which it is told.
TEST(FamilyPlan, TellsLongSchedules) {
  const Problem problem = Problem::alltoall(64, 3);
  const Family family(
      "long", [](const Problem& of) { return make_schedule(of, "direct"); }, MadeBy::first_rank);
  std::atomic<int> right = 0;
  run_threads(64, [&](Communicator& threads) {
    const Result<Schedule> schedule = schedule_of(threads, family, problem);
    right += schedule && schedule->program(threads.rank()) == make_schedule(problem, "direct").program(threads.rank());
  });
  EXPECT_EQ(right, 64);
}

}  // namespace
}  // namespace quadrille

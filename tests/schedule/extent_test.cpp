// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/symmetry.hpp"

#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

constexpr Count no_limit = Count{1} << 62;

TEST(Extent, IsTheSameBySymmetryAndRankByRank) {
  for (const Algorithm* algorithm : algorithms_for(Collective::alltoall)) {
    Problem problem = Problem::alltoall(16, 8);
    problem.grid = {4, 4};
    SCOPED_TRACE(algorithm->id);
    if (!applies(problem, parse_choice(problem, algorithm->id))) continue;
    Schedule schedule = make_schedule(problem, algorithm->id);
    const Count counted = operation_count(schedule, no_limit);
    schedule.symmetry.reset();
    EXPECT_EQ(counted, operation_count(schedule, no_limit));
  }
}

TEST(Extent, CountsNoFurtherThanTheLimit) {
  Schedule schedule = make_schedule(Problem::alltoall(1000, 8), "one-factor");
  Count made = 0;
  schedule.program = [&made, make = schedule.program](Rank rank) { return ++made, make(rank); };
  EXPECT_GT(operation_count(schedule, 10'000), 10'000);
  EXPECT_LT(made, 10);
}

// The limit applies whether or not the size is known in advance.
TEST(Extent, NoProgramOutgrowsItsLimit) {
  const auto code = [](const auto& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::environment;
  };
  EXPECT_EQ(code([] { ProgramBuilder{0}.expect(most_operations_of_a_program); }), ErrorCode::environment);
  EXPECT_EQ(code([] { ProgramBuilder{0}.expect(most_operations_of_a_program, 2); }), ErrorCode::too_large);
  EXPECT_EQ(code([] { ProgramBuilder{0}.expect(Count{1} << 40, Count{1} << 40); }), ErrorCode::too_large);
  EXPECT_EQ(code([] {
              ProgramBuilder program{0};
              for (;;) program.control_send(1, 0);
            }),
            ErrorCode::too_large);
}

}  // namespace
}  // namespace quadrille

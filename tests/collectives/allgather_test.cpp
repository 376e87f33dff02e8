// SPDX-License-Identifier: BSD-3-Clause
// Figures of the one-port algorithms for allgather, and for alltoall on meshes and hypercubes, compared with the
// formulas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/rounds_and_units.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Allgather, HasTheFiguresOfTheFormulas) {
  const auto count = [](Count p, const std::string& specification) {
    return rounds_and_units(problem_of(Collective::allgather, p, unit), specification);
  };
  for (Count p = 1; p <= 130; ++p) {
    ASSERT_EQ(count(p, "ring"), Figure(p - 1, p - 1));
    ASSERT_EQ(count(p, "circulant"), Figure(depth(p), p - 1)) << p;
    for (Count rows = 1; rows <= p; ++rows)
      if (p % rows == 0) ASSERT_EQ(count(p, fmt::format("mesh:rows={}", rows)), Figure(rows + p / rows - 2, p - 1)) << p;
    if (is_power(p)) ASSERT_EQ(count(p, "recursive-doubling"), Figure(depth(p), p - 1));
    if (p % 2 == 0) ASSERT_EQ(count(p, "neighbor-exchange"), Figure(p / 2, p - 1));
  }
  EXPECT_EQ(count(8, "ring"), Figure(7, 7));
  EXPECT_EQ(count(8, "recursive-doubling"), Figure(3, 7));
  EXPECT_EQ(count(9, "mesh"), Figure(4, 8)) << "the default of 9 ranks is 3 x 3";
  EXPECT_EQ(count(1'000'003, "circulant"), Figure(20, 1'000'002));
  EXPECT_EQ(figures(make_schedule(problem_of(Collective::allgather, 6, 3), "direct")), (Figures{1, 3, 5, 5, 15, 15, 0, 0}));
}

// The papers' own baselines: gather and broadcast, and p broadcasts one after the other.
TEST(Allgather, BaselinesHaveTheFiguresOfTheFormulas) {
  for (Count p = 1; p <= extent(17, 67, 130); ++p) {
    const Count d = depth(p);
    ASSERT_EQ(rounds_and_units(problem_of(Collective::allgather, p, unit), "gather-broadcast"), Figure(2 * d, p - 1 + p * d)) << p;
    ASSERT_EQ(rounds_and_units(problem_of(Collective::allgather, p, unit), "broadcasts"), Figure(p * d, p * d)) << p;
  }
  const Figures folklore = figures(make_schedule(problem_of(Collective::allgather, 16, 1), "gather-broadcast"));
  EXPECT_EQ(folklore.c2, 15 + 4 * 16);
}

TEST(Alltoall, OnMeshesAndHypercubesHasTheFiguresOfTheFormulas) {
  const auto count = [](Count p, const std::string& specification) {
    return rounds_and_units(problem_of(Collective::alltoall, p, unit), specification);
  };
  for (Count p = 1; p <= 64; ++p) {
    for (Count rows = 1; rows <= p; ++rows)
      if (p % rows == 0) {
        const Count around = rows + p / rows - 2;
        ASSERT_EQ(count(p, fmt::format("mesh:rows={}", rows)), Figure(around, p * around / 2)) << p << ' ' << rows;
      }
    if (is_power(p)) ASSERT_EQ(count(p, "hypercube"), Figure(depth(p), p / 2 * depth(p)));
  }
  EXPECT_EQ(count(16, "mesh"), Figure(6, 48));
  EXPECT_EQ(count(8, "hypercube"), Figure(3, 12));
}

TEST(Mesh, TakesItsRowsFromTheGridOfTheProblem) {
  for (const Collective collective : {Collective::allgather, Collective::alltoall}) {
    Problem problem = problem_of(collective, 24, 1);
    EXPECT_EQ(number(parse_choice(problem, "mesh").parameters, "rows"), 4);
    problem.grid = {2, 12};
    EXPECT_EQ(number(parse_choice(problem, "mesh").parameters, "rows"), 2);
    EXPECT_EQ(number(parse_choice(problem, "mesh:rows=6").parameters, "rows"), 6);
    problem.grid = {2, 3, 4};
    EXPECT_EQ(number(parse_choice(problem, "mesh").parameters, "rows"), 4);
    EXPECT_TRUE(verify(make_schedule(problem, "mesh")).empty());
    EXPECT_FALSE(applies(problem, parse_choice(problem, "mesh:rows=5")));
    EXPECT_THROW(make_schedule(problem, "mesh:rows=5"), Error);
    EXPECT_THROW(make_schedule(problem, "mesh:rows=0"), Error);
  }
}

// On a mesh without wrap-around links, the last member of a ring sends to the first in the opposite direction.
TEST(Mesh, SendsToNeighboursOnly) {
  for (const Collective collective : {Collective::allgather, Collective::alltoall}) {
    const Schedule schedule = make_schedule(problem_of(collective, 15, 1), "mesh:rows=3");
    for (Rank rank = 0; rank < 15; ++rank)
      for (const Round& round : schedule.program(rank).rounds)
        for (const Message& message : round.sends)
          EXPECT_TRUE(message.peer == rank / 5 * 5 + (rank + 1) % 5 || message.peer == (rank + 5) % 15) << rank;
  }
}

TEST(Symmetry, OfAnAllgatherOnAMeshMovesColumnsOnly) {
  Schedule schedule = make_schedule(problem_of(Collective::allgather, 12, 2), "mesh:rows=3");
  EXPECT_EQ(schedule.symmetry->representatives().size(), 4u);
  EXPECT_EQ(check_symmetry(schedule, every_rank(12)), std::nullopt);
  schedule.symmetry = translation_symmetry(12);
  EXPECT_TRUE(check_symmetry(schedule, every_rank(12)).has_value()) << "a row has a first and a last rank";
}

TEST(Bounds, OfAllgatherWithSharesOfAnySize) {
  Problem problem;
  problem.collective = Collective::allgatherv;
  problem.ranks = 5;
  problem.counts = std::make_shared<const std::vector<Bytes>>(std::vector<Bytes>{4, 0, 7, 1, 2});
  const auto bounds = lower_bounds(problem, 2);
  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_EQ(bounds[0].value, 2);
  EXPECT_EQ(bounds[1].value, 7) << "rank 1 lacks 14 bytes";
  problem.counts = std::make_shared<const std::vector<Bytes>>(5, 0);
  for (const Bound& bound : lower_bounds(problem, 2)) EXPECT_EQ(bound.value, 0);
}

}  // namespace
}  // namespace quadrille

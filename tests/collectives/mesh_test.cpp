// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, reduce, scatter and gather on meshes of any sides: exact figures for every root, no shared links, and the
// order of combining.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using enum Collective;

constexpr Collective rooted[] = {broadcast, reduce, scatter, gather};

// All grids of `ranks` ranks with at most `dimensions` dimensions, whose sides are 2 or more.
std::vector<std::vector<Count>> grids_of(Count ranks, int dimensions) {
  std::vector<std::vector<Count>> grids;
  if (dimensions == 1 || ranks == 1) return {{ranks}};
  for (Count side = 2; side <= ranks; ++side) {
    if (ranks % side != 0) continue;
    if (side == ranks) {
      grids.push_back({ranks});
      continue;
    }
    for (std::vector<Count> rest : grids_of(ranks / side, dimensions - 1)) {
      rest.insert(rest.begin(), side);
      grids.push_back(std::move(rest));
    }
  }
  return grids;
}

// The number of doublings from one rank to all ranks, added up over the lines of all dimensions.
Count rounds_on(const std::vector<Count>& sides) {
  Count rounds = 0;
  for (const Count side : sides)
    for (Count reached = 1; reached < side; reached *= 2) ++rounds;
  return rounds;
}

TEST(RootedMesh, HasTheFiguresOfTheFormulasForAllSidesAndRoots) {
  for (Count p = 1; p <= extent(12, 30, 70); ++p)
    for (const std::vector<Count>& sides : grids_of(p, 3))
      for (Rank root = 0; root < p; ++root)
        for (const Collective collective : rooted) {
          const Figures counted = figures(make_schedule(problem_on(sides, collective, 3, root), "mesh"));
          const bool is_vector = collective == broadcast || collective == reduce;
          ASSERT_EQ(counted.c1, rounds_on(sides)) << p << ' ' << root;
          ASSERT_EQ(counted.c2, 3 * (is_vector ? rounds_on(sides) : p - 1))
              << name(collective) << fmt::format(" {} {}", sides, root);
          ASSERT_LE(counted.ports, 1);
        }
}

// Tests meshes and tori: the wrap-around links of a torus must not make two messages share a link either.
TEST(RootedMesh, SharesNoLinkForAnySidesAndRoot) {
  for (Count p = 2; p <= extent(12, 24, 70); ++p)
    for (const std::vector<Count>& sides : grids_of(p, 3))
      for (Rank root = 0; root < p; ++root)
        for (const Collective collective : rooted) {
          const Schedule schedule = make_schedule(problem_on(sides, collective, 1, root), "mesh");
          for (const Topology& network : {Topology::mesh(sides), Topology::torus(sides)})
            ASSERT_EQ(link_figures(schedule, network).sharing, 1) << name(collective) << ' ' << network.name() << ' ' << root;
        }
}

// What the documentation says about binomial: on an open mesh it shares no link either, but on a torus it does.
TEST(RootedMesh, SharesFewerLinksThanBinomialOnATorusOnly) {
  for (Count p = 2; p <= extent(12, 18, 70); ++p)
    for (const std::vector<Count>& sides : grids_of(p, 3))
      for (Rank root = 0; root < p; ++root)
        ASSERT_EQ(link_figures(make_schedule(problem_of(broadcast, p, 1, root), "binomial"), Topology::mesh(sides)).sharing, 1)
            << fmt::format("{} {}", sides, root);
  EXPECT_EQ(link_figures(make_schedule(problem_of(broadcast, 33, 1), "binomial"), Topology::torus({3, 11})).sharing, 2);
}

TEST(RootedMesh, IsVerifiedOnGridsOfAnyNumberOfDimensions) {
  for (const std::vector<Count>& sides : {std::vector<Count>{3, 2, 4}, {2, 2, 2, 2}, {1, 5, 1, 3}, {5}, {1}, {7, 1}, {2, 3, 2, 2}})
    for (const Collective collective : {broadcast, reduce, scatter, scatterv, gather, gatherv})
      for (const Rank root : roots_of(collective, problem_on(sides, collective, 1).ranks, 4)) {
        const Schedule schedule = make_schedule(problem_on(sides, collective, 5, root), "mesh");
        ASSERT_TRUE(verify(schedule).empty()) << name(collective) << fmt::format(" {} {}", sides, root);
        if (!is_irregular(collective)) ASSERT_EQ(figures(schedule).c1, rounds_on(sides));
      }
}

TEST(RootedMesh, WithEqualSharesIsTheRegularOne) {
  for (Count p = 1; p <= 20; ++p)
    for (const auto& [regular, irregular] : {std::pair(scatter, scatterv), {gather, gatherv}})
      for (const Rank root : roots_of(regular, p, 4)) {
        Problem shares = problem_of(irregular, p, 3, root);
        shares.counts = std::make_shared<const std::vector<Bytes>>(static_cast<std::size_t>(p), 3);
        const Schedule of_shares = make_schedule(shares, "mesh"),
                       of_blocks = make_schedule(problem_of(regular, p, 3, root), "mesh");
        for (Rank rank = 0; rank < p; ++rank) ASSERT_EQ(of_shares.program(rank), of_blocks.program(rank)) << p << ' ' << root;
      }
}

TEST(RootedMesh, UsesTheGridOfTheProblem) {
  const auto rows = [](const Problem& problem, const char* specification) {
    return number(parse_choice(problem, specification).parameters, "rows");
  };
  Problem problem = problem_of(broadcast, 24, 1);
  EXPECT_EQ(rows(problem, "mesh"), 4) << "4 x 6 is the most square";
  problem.grid = {2, 3, 4};
  EXPECT_EQ(rows(problem, "mesh"), 2);
  EXPECT_EQ(figures(make_schedule(problem, "mesh")).c1, 1 + 2 + 2);
  EXPECT_EQ(figures(make_schedule(problem, "mesh:rows=8")).c1, 3 + 2) << "another number is that of a grid of two dimensions";
  EXPECT_THROW(make_schedule(problem, "mesh:rows=5"), Error);
}

using Arrow = std::tuple<Count, Rank, Rank>;
std::vector<Arrow> arrows(const Schedule& schedule) {
  std::vector<Arrow> list;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) list.emplace_back(round.number, rank, message.peer);
  std::sort(list.begin(), list.end());
  return list;
}

// Two steps along the row, then two along all columns.
TEST(RootedMesh, BroadcastAmongSixteenIsThatOfTheSlides) {
  EXPECT_EQ(arrows(make_schedule(problem_on({4, 4}, broadcast, 1), "mesh")), (std::vector<Arrow>{{0, 0, 2},
                                                                                                 {1, 0, 1},
                                                                                                 {1, 2, 3},
                                                                                                 {2, 0, 8},
                                                                                                 {2, 1, 9},
                                                                                                 {2, 2, 10},
                                                                                                 {2, 3, 11},
                                                                                                 {3, 0, 4},
                                                                                                 {3, 1, 5},
                                                                                                 {3, 2, 6},
                                                                                                 {3, 3, 7},
                                                                                                 {3, 8, 12},
                                                                                                 {3, 9, 13},
                                                                                                 {3, 10, 14},
                                                                                                 {3, 11, 15}}));
}

// "A hypercube with 2^d nodes can be regarded as a d-dimensional mesh with two nodes in each dimension."
TEST(RootedMesh, WithSidesOfTwoIsTheBinomialTree) {
  for (Rank root = 0; root < 16; ++root)
    for (const Collective collective : {scatter, gather}) {
      const Problem problem = problem_on({2, 2, 2, 2}, collective, 3, root);
      EXPECT_EQ(arrows(make_schedule(problem, "mesh")), arrows(make_schedule(problem, "binomial")));
    }
}

// If all sides except the first are powers of two, the algorithm states that it combines along the fixed tree, and does so for
// every root. For other sides it states only that it keeps the rank order, and it does not combine along the fixed tree.
TEST(RootedMesh, ReducesInTheStatedOrder) {
  for (const auto& [sides, keeps_tree] : {std::pair(std::vector<Count>{3, 4}, true),
                                          {{13}, true},
                                          {{1, 11}, true},
                                          {{5, 1, 2}, true},
                                          {{3, 2, 2}, true},
                                          {{2, 3}, false},
                                          {{2, 2, 3}, false},
                                          {{4, 3, 1}, false}})
    for (const Rank root : roots_of(reduce, problem_on(sides, reduce, 1).ranks, 16)) {
      Problem problem = with_elements_of(problem_on(sides, reduce, 2, root), 4);
      problem.commutative = false;
      EXPECT_TRUE(verify(make_schedule(problem, "mesh")).empty()) << fmt::format("{} {}", sides, root);
      problem.reproducible = true;
      const Choice choice = parse_choice(problem, "mesh");
      EXPECT_EQ(applies(problem, choice).has_value(), keeps_tree) << fmt::format("{} {}", sides, root);
      Schedule schedule = make_schedule(problem_on(sides, reduce, 8, root), "mesh");  // made for any order
      schedule.problem = problem;
      EXPECT_EQ(verify(schedule).empty(), keeps_tree) << fmt::format("{} {}", sides, root);
    }
}

TEST(RootedMesh, HasShortProgramsForAMillionRanks) {
  for (const Collective collective : rooted)
    for (const std::vector<Count>& sides : {std::vector<Count>{1000, 1001}, {101, 101, 101}}) {
      const Problem problem = problem_on(sides, collective, 8, 17);
      const Schedule schedule = make_schedule(problem, "mesh");
      for (const Rank rank : {Rank{0}, Rank{17}, Rank{18}, problem.ranks - 1})
        EXPECT_LE(schedule.program(rank).rounds.size(), 22u) << name(collective);
    }
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Compares lower bounds with numbers from the literature.
#include "quadrille/cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Bytes bound(const Problem& problem, Count ports, const std::string& figure, std::optional<Count> rounds = {}) {
  Count best = 0;
  for (const Bound& entry : lower_bounds(problem, ports, rounds))
    if (entry.figure == figure) best = std::max(best, entry.value);
  return best;
}

TEST(Bounds, AreThoseOfThePaper) {
  EXPECT_EQ(bound(Problem::alltoall(64, 1), 1, "c2", 6), 192);
  EXPECT_EQ(bound(Problem::alltoall(64, 1), 3, "c2", 3), 48);
  EXPECT_EQ(bound(Problem::alltoall(5, 1), 1, "c2", 3), 5);
  EXPECT_EQ(bound(Problem::alltoall(9, 1), 1, "c2", 4), 12);
  EXPECT_EQ(bound(Problem::alltoall(20, 1), 1, "c2", 5), 37);
  EXPECT_EQ(bound(Problem::alltoall(35, 1), 1, "c2", 6), 75);
  EXPECT_EQ(bound(Problem::alltoall(45, 1), 4, "c2", 3), 19);
  EXPECT_EQ(bound(Problem::alltoall(64, 8), 1, "c2"), 63 * 8);
  EXPECT_EQ(bound(Problem::alltoall(64, 1), 1, "c1"), 6);
  EXPECT_EQ(bound(Problem::alltoall(65, 1), 1, "c1"), 7);
  EXPECT_EQ(bound(Problem::alltoall(64, 1), 3, "c1"), 3);
  EXPECT_EQ(bound(Problem::alltoall(10, 3), 3, "c2"), 9);
  EXPECT_EQ(bound(Problem::alltoall(2, 3), 2, "c2"), 2) << "both ports lead to the one other rank";
  EXPECT_EQ(bound(Problem::alltoall(1, 8), 1, "c1"), 0);
  EXPECT_EQ(bound(Problem::alltoall(8, 0), 1, "c2", 3), 0);
}

TEST(Bounds, OfRootedCollectives) {
  Problem problem;
  problem.ranks = 10;
  problem.block_bytes = 7;
  problem.collective = Collective::broadcast;
  EXPECT_EQ(bound(problem, 1, "c1"), 4);
  EXPECT_EQ(bound(problem, 3, "c1"), 2);
  EXPECT_EQ(bound(problem, 1, "c2"), 7);
  EXPECT_EQ(bound(problem, 3, "c2"), 3);
  for (const Collective collective : {Collective::scatter, Collective::gather}) {
    problem.collective = collective;
    EXPECT_EQ(bound(problem, 1, "c1"), 4);
    EXPECT_EQ(bound(problem, 2, "c2"), 32);
  }
  problem.counts = std::make_shared<const std::vector<Bytes>>(std::vector<Bytes>{0, 0, 5, 0, 3, 100, 0, 0, 0, 1});
  problem.block_bytes = 0;
  problem.root = 5;
  for (const Collective collective : {Collective::scatterv, Collective::gatherv}) {
    problem.collective = collective;
    EXPECT_EQ(bound(problem, 1, "c1"), 2) << "three others have a share";
    EXPECT_EQ(bound(problem, 2, "c2"), 5);
  }
  problem.root = 0;
  problem.collective = Collective::allgatherv;
  EXPECT_EQ(bound(problem, 1, "c1"), 4);
  EXPECT_EQ(bound(problem, 1, "c2"), 109);
}

TEST(Bounds, OfReductions) {
  Problem problem;
  problem.ranks = 10;
  problem.block_bytes = 7;
  for (const Collective collective :
       {Collective::reduce, Collective::allreduce, Collective::reduce_scatter, Collective::scan, Collective::exscan}) {
    problem.collective = collective;
    EXPECT_EQ(bound(problem, 1, "c1"), 4);
    EXPECT_EQ(bound(problem, 3, "c1"), 2);
  }
  for (const Collective collective : {Collective::reduce, Collective::scan, Collective::exscan}) {
    problem.collective = collective;
    EXPECT_EQ(bound(problem, 1, "c2"), 7);
    EXPECT_EQ(bound(problem, 3, "c2"), 3);
  }
  problem.collective = Collective::allreduce;
  EXPECT_EQ(bound(problem, 1, "c2"), 13) << "2 * 9 * 7 / 10 is 12.6";
  EXPECT_EQ(bound(problem, 9, "c2"), 2);
  problem.ranks = 17;
  problem.block_bytes = 48;
  EXPECT_EQ(bound(problem, 1, "c2"), 91);
  problem.ranks = 10;
  problem.block_bytes = 7;
  problem.collective = Collective::reduce_scatter;
  EXPECT_EQ(bound(problem, 1, "c2"), 63);
  EXPECT_EQ(bound(problem, 2, "c2"), 32);
  problem.collective = Collective::reduce_scatterv;
  problem.block_bytes = 0;
  problem.counts = std::make_shared<const std::vector<Bytes>>(std::vector<Bytes>{1, 1, 5, 1, 3, 100, 1, 1, 1, 1});
  EXPECT_EQ(bound(problem, 1, "c1"), 4);
  EXPECT_EQ(bound(problem, 1, "c2"), 114);
  for (const Collective collective : all_collectives()) {
    if (!is_reduction(collective)) continue;
    Problem nothing;
    nothing.collective = collective;
    nothing.ranks = is_irregular(collective) ? 4 : 1;
    nothing.block_bytes = is_irregular(collective) ? 0 : 9;
    if (is_irregular(collective)) nothing.counts = std::make_shared<const std::vector<Bytes>>(4, 0);
    for (const Bound& entry : lower_bounds(nothing, 1)) EXPECT_EQ(entry.value, 0) << name(collective) << ' ' << entry.figure;
  }
}

TEST(Bounds, HoldForAMillionRanks) {
  const Schedule schedule = make_schedule(Problem::alltoall(1'048'576, 8), "bruck");
  const Figures counted = figures(schedule);
  EXPECT_EQ(counted.c1, 20);
  EXPECT_EQ(counted.c2, Bytes{20} * 524'288 * 8);
  EXPECT_EQ(bound(schedule.problem, 1, "c2", 20), counted.c2) << "powers of k + 1 attain it";
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "problem/same_problem.hpp"

#include <gtest/gtest.h>

#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

TEST(SameProblem, MovesTheSameWhereverTheRanksAre) {
  const Problem one = Problem::alltoall(4, 8);
  Problem placed = one;
  placed.nodes = {0, 0, 1, 1};
  placed.grid = {2, 2};
  EXPECT_TRUE(moves_the_same(one, placed));
  EXPECT_FALSE(is_same(one, placed));
  EXPECT_FALSE(moves_the_same(one, Problem::alltoall(4, 16)));
  EXPECT_FALSE(moves_the_same(one, Problem::alltoall(5, 8)));
  EXPECT_FALSE(moves_the_same(one, Problem::allgather(4, 8)));
  EXPECT_FALSE(moves_the_same(Problem::broadcast(4, 8, 1), Problem::broadcast(4, 8, 2)));
  EXPECT_TRUE(moves_the_same(Problem::allreduce(4, 8, {.element_bytes = 4}), Problem::allreduce(4, 8, {.commutative = false})));
}

TEST(SameProblem, ComparesCountsByValue) {
  const Problem dense = Problem::alltoallv(2, {0, 3, 5, 0}), again = Problem::alltoallv(2, {0, 3, 5, 0});
  const Problem sparse = Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, 3}, {1, 0, 5}});
  EXPECT_TRUE(moves_the_same(dense, again));
  EXPECT_TRUE(moves_the_same(dense, sparse));
  EXPECT_FALSE(moves_the_same(Problem::alltoallv(2, {0, 3, 4, 0}), sparse));
  EXPECT_TRUE(moves_the_same(Problem::allgatherv(2, {1, 2}), Problem::allgatherv(2, {1, 2})));
  EXPECT_FALSE(moves_the_same(Problem::allgatherv(2, {1, 2}), Problem::allgatherv(2, {2, 1})));
}

}  // namespace
}  // namespace quadrille

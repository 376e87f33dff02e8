// SPDX-License-Identifier: BSD-3-Clause
#include "problem/problem_text.hpp"

#include <gtest/gtest.h>

#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

TEST(ProblemText, NamesWhatDescribesTheProblem) {
  EXPECT_EQ(collective_text(Problem::alltoall(5, 1024)), "alltoall among 5 ranks, 1 KiB a block");
  EXPECT_EQ(problem_text(Problem::broadcast(4, 8, 3)), "4 ranks, 8 B a block, root 3");
  EXPECT_EQ(problem_text(Problem::allgatherv(3, {4, 0, 2048})), "3 ranks, 0 B..2 KiB a share");
  EXPECT_EQ(problem_text(Problem::barrier(2)), "2 ranks");
  EXPECT_EQ(block_text(Problem::barrier(2)), "–");
}

TEST(ProblemText, ListsDenseAndSparseCountsAlike) {
  EXPECT_EQ(all_counts(Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, 3}})), (std::vector<Bytes>{0, 3, 0, 0}));
  EXPECT_EQ(all_counts(Problem::alltoallv(2, {0, 3, 0, 0})), (std::vector<Bytes>{0, 3, 0, 0}));
  EXPECT_EQ(sizes_of(Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, 3}})), (std::vector<Bytes>{0, 3}));
}

}  // namespace
}  // namespace quadrille

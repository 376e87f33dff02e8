// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's thresholds, on both sides of some of them.
#include "tune/rules/vendor_choice.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "quadrille/vendor_choice.hpp"

namespace quadrille {
namespace {

std::string openmpi_takes(std::string_view library, const Problem& problem) {
  const auto algorithm = vendor_algorithm(library, problem);
  return algorithm ? *algorithm : "unknown: " + algorithm.error();
}

Problem in_nodes(Problem problem, Count ranks_of_node) {
  for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / ranks_of_node);
  return problem;
}

TEST(OpenMpiChoice, ChangesAtItsBorders) {
  const auto alltoall = [](Count ranks, Bytes bytes) { return openmpi_takes("openmpi", Problem::alltoall(ranks, bytes)); };
  EXPECT_EQ(alltoall(16, 3), "linear_sync");
  EXPECT_EQ(alltoall(16, 4), "modified_bruck");
  EXPECT_EQ(alltoall(16, 511), "modified_bruck");
  EXPECT_EQ(alltoall(16, 512), "linear_sync");
  EXPECT_EQ(alltoall(15, 4), "linear_sync");
  EXPECT_EQ(alltoall(31, 524288), "linear_sync");
  EXPECT_EQ(alltoall(32, 524287), "linear");
  EXPECT_EQ(alltoall(2, 2), "two_proc");
  EXPECT_EQ(alltoall(3, 2), "linear_sync");
  EXPECT_EQ(alltoall(100'000, 2048), "linear_sync");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::barrier(255)), "bruck");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::barrier(256)), "tree");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::allgather(1, 8)), "self");
}

TEST(OpenMpiChoice, LooksUpDifferentSizes) {
  // One rank's share counts in reduce_scatter, all shares in reduce_scatterv, and the mean share in allgatherv.
  EXPECT_EQ(openmpi_takes("openmpi", Problem::reduce_scatter(16, 31)), "basic_linear");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::reduce_scatter(16, 32)), "recursive_halving");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::reduce_scatterv(4, {1, 2, 3, 1})), "non-overlapping");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::reduce_scatterv(4, {1, 2, 3, 2})), "recursive_halving");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::allgatherv(4, {0, 0, 0, 1023})), "default");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::allgatherv(4, {0, 0, 0, 1024})), "neighbor");
}

TEST(OpenMpiChoice, DistinguishesOperators) {
  EXPECT_EQ(openmpi_takes("openmpi", Problem::reduce(8, 64, {.commutative = true})), "binary");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::reduce(8, 64, {.commutative = false})), "in-order_binary");
  EXPECT_EQ(openmpi_takes("openmpi", Problem::reduce_scatter(8, 64, {.commutative = false})), "basic_linear");
}

TEST(OpenMpiChoice, Version5SplitsSomeCollectivesByNodes) {
  const Problem allreduce = Problem::allreduce(16, 64);
  EXPECT_EQ(openmpi_takes("openmpi5", allreduce), openmpi_takes("openmpi", allreduce));
  EXPECT_TRUE(openmpi_takes("openmpi5", in_nodes(allreduce, 1)).starts_with("unknown: "));
  EXPECT_EQ(openmpi_takes("openmpi5", in_nodes(allreduce, 16)), openmpi_takes("openmpi", allreduce));
  EXPECT_TRUE(openmpi_takes("openmpi5", in_nodes(allreduce, 4)).starts_with("unknown: "))
      << openmpi_takes("openmpi5", in_nodes(allreduce, 4));
  const Problem alltoall = in_nodes(Problem::alltoall(16, 64), 4);
  EXPECT_EQ(openmpi_takes("openmpi5", alltoall), "modified_bruck");
  EXPECT_FALSE(find_vendor_library("openmpi5")->is_checked);
}

}  // namespace
}  // namespace quadrille

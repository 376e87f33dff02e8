// SPDX-License-Identifier: BSD-3-Clause
// MPICH's choices, by trees as its library has them.
#include "tune/rules/mpich_choice.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "quadrille/vendor_choice.hpp"

namespace quadrille {
namespace {

Problem on_equal_nodes(Problem problem, Count ranks_of_node) {
  for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / ranks_of_node);
  return problem;
}

// A library with short trees.
std::string small_mpich() {
  const std::string device =
      R"({"collective=bcast":{"comm_type=intra":{"comm_hierarchy=parent":{"composition=MPIDI_Bcast_intra_composition_alpha":{}},)"
      R"("comm_hierarchy=any":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}}})";
  const std::string shared =
      R"({"collective=bcast":{"is_multi_threaded=no":{"algorithm=MPIDI_POSIX_mpi_bcast_release_gather":{}}}})";
  const std::string messages =
      R"({"collective=alltoall":{"is_sendbuf_inplace=yes":{"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace":{}},)"
      R"("is_sendbuf_inplace=no":{"comm_size<8":{"algorithm=MPIR_Alltoall_intra_scattered":{}},)"
      R"("comm_size=any":{"avg_msg_size<=256":{"algorithm=MPIR_Alltoall_intra_brucks":{}},)"
      R"("avg_msg_size=any":{"algorithm=MPIR_Alltoall_intra_pairwise":{}}}}},)"
      R"("collective=bcast":{"comm_type=intra":{"comm_size<8":{"algorithm=MPIR_Bcast_intra_binomial":{}},)"
      R"("comm_size=pow2":{"algorithm=MPIR_Bcast_intra_scatter_recursive_doubling_allgather":{}},)"
      R"("comm_size=any":{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}}}},)"
      R"("collective=allgather":{"total_msg_size<100":{"algorithm=MPIR_Allgather_intra_brucks":{}}}})";
  return std::string("\0x", 2) + device + '\0' + shared + '\0' + messages + '\0';
}

TEST(MpichChoice, WalksThroughTheTrees) {
  const MpichTrees trees(small_mpich());
  const auto taken = [&](const Problem& problem) { return mpich_algorithm(trees, problem).value_or("unknown"); };
  EXPECT_EQ(taken(Problem::alltoall(9, 256)), "brucks");
  EXPECT_EQ(taken(Problem::alltoall(9, 257)), "pairwise");
  // MPICH tests the size of the communicator in the call here, and takes 8 for less than 8.
  EXPECT_EQ(taken(Problem::alltoall(8, 256)), "scattered");
  // Here it tests it when the communicator is made.
  EXPECT_EQ(taken(on_equal_nodes(Problem::broadcast(7, 64), 1)), "binomial");
  EXPECT_EQ(taken(on_equal_nodes(Problem::broadcast(8, 64), 1)), "scatter_recursive_doubling_allgather");
  EXPECT_EQ(taken(on_equal_nodes(Problem::broadcast(9, 64), 1)), "scatter_ring_allgather");
  EXPECT_EQ(taken(Problem::broadcast(9, 64)), "release_gather");
  EXPECT_EQ(taken(on_equal_nodes(Problem::broadcast(9, 64), 3)), "composition_alpha");
  EXPECT_EQ(taken(Problem::allgather(9, 11)), "brucks");
  EXPECT_EQ(taken(Problem::allgather(9, 12)), "unknown");
  EXPECT_EQ(taken(Problem::scan(9, 12)), "unknown");
}

TEST(MpichChoice, NeedsAllTrees) { EXPECT_THROW(MpichTrees("no trees"), Error); }

}  // namespace
}  // namespace quadrille

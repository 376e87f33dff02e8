// SPDX-License-Identifier: BSD-3-Clause
#include "problem/problem_text.hpp"

#include <gtest/gtest.h>

#include "problem/collective_facts.hpp"

namespace quadrille {
namespace {

TEST(CollectiveWords, NamesOfMpiMeanACollective) {
  for (const Collective each : all_collectives())
    for (const std::string& word : {mpi_name(each), "MPI_" + mpi_name(each), "PMPI_I" + mpi_name(each), mpi_name(each) + "_init_c"})
      EXPECT_EQ(collective_of_mpi(word), each) << word;
  EXPECT_EQ(collective_of_mpi("MPI_Reduce_scatter"), Collective::reduce_scatterv) << "whose counts differ";
  for (const char* word : {"", "MPI_", "mpi_init", "MPI_Send", "broadcast", "MPI_Neighbor_alltoall"})
    EXPECT_FALSE(collective_of_mpi(word)) << word;
}

TEST(CollectiveWords, ARefusalSaysWhatIsProbablyMeant) {
  EXPECT_EQ(unknown_collective("bcast"), "there is no collective 'bcast'; did you mean 'broadcast'?");
  EXPECT_EQ(unknown_collective("MPI_Alltoall", "collective or file"),
            "there is no collective or file 'MPI_Alltoall'; did you mean 'alltoall'?");
  EXPECT_EQ(unknown_collective("alltoal"), "there is no collective 'alltoal'; did you mean 'alltoall'?");
  EXPECT_EQ(unknown_collective("MPI_Alltoal"), "there is no collective 'MPI_Alltoal'; did you mean 'alltoall'?");
  for (const char* word : {"q.bcast", "comm.Bcast", "quadrille::broadcast"})
    EXPECT_EQ(nearest_collective(word), "broadcast") << word;
  EXPECT_EQ(unknown_collective("xyz").find("there is no collective 'xyz'; there are: alltoall, alltoallv, "), 0u);
}

}  // namespace
}  // namespace quadrille

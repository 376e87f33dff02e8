// SPDX-License-Identifier: BSD-3-Clause
// Lists of neighbours in grids and graphs, and where the MPI library pairs their blocks otherwise.
#include "mpi_face/neighbourhood.hpp"

#include <gtest/gtest.h>

#include <array>

namespace quadrille::mpi_face {
namespace {

struct Made {
  MPI_Comm communicator = MPI_COMM_NULL;
  explicit Made(MPI_Comm comm) : communicator(comm) {}
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { MPI_Comm_free(&communicator); }
};

MPI_Comm grid(MPI_Comm ranks, const std::vector<int>& sizes, const std::vector<int>& closed) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(ranks, static_cast<int>(sizes.size()), sizes.data(), closed.data(), 0, &made);
  return made;
}

MPI_Comm graph(MPI_Comm ranks, const std::vector<int>& sources, const std::vector<int>& targets) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(ranks, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  return made;
}

using Pairs = std::vector<std::pair<Rank, Count>>;
Pairs pairs(const Neighbours& neighbours) {
  Pairs all;
  for (const Neighbour& each : neighbours.list) all.emplace_back(each.rank, each.block);
  return all;
}

TEST(Neighbours, OfAGridAreThoseBeforeAndBehindInEachDimension) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Made ring(grid(MPI_COMM_WORLD, {size, 1}, {1, 0}));
  const Neighbourhood own(ring.communicator);
  ASSERT_TRUE(own.exists());
  const Rank before = (rank + size - 1) % size, behind = (rank + 1) % size;
  EXPECT_EQ(pairs(own.targets()), (Pairs{{before, 0}, {behind, 1}}));
  EXPECT_EQ(pairs(own.sources()), (Pairs{{behind, 1}, {before, 0}}));
  EXPECT_EQ(own.targets().blocks, 4) << "those beyond the borders included";
  EXPECT_EQ(own.has_repeats(), size <= 2);
}

TEST(Neighbours, OfAGraphAreInItsOrder) {
  const Made loops(graph(MPI_COMM_SELF, {0, 0}, {0, 0}));
  const Neighbourhood own(loops.communicator);
  ASSERT_TRUE(own.exists());
  EXPECT_EQ(pairs(own.targets()), (Pairs{{0, 0}, {0, 1}}));
  EXPECT_EQ(pairs(own.sources()), (Pairs{{0, 0}, {0, 1}}));
  EXPECT_TRUE(own.has_repeats());
  const Made none(graph(MPI_COMM_SELF, {}, {}));
  EXPECT_TRUE(Neighbourhood(none.communicator).exists());
  EXPECT_EQ(Neighbourhood(none.communicator).sources().blocks, 0);
}

TEST(Neighbours, DoNotExistWithoutATopology) { EXPECT_FALSE(Neighbourhood(MPI_COMM_WORLD).exists()); }

TEST(Neighbours, AreTheSameOnACopy) {
  for (const bool is_grid : {true, false}) {
    const Made made(is_grid ? grid(MPI_COMM_SELF, {1, 1, 1}, {1, 0, 1}) : graph(MPI_COMM_SELF, {0}, {0}));
    const Neighbourhood own(made.communicator);
    const Made copy(own.made_on(MPI_COMM_SELF));
    const Neighbourhood other(copy.communicator);
    EXPECT_EQ(pairs(own.targets()), pairs(other.targets()));
    EXPECT_EQ(pairs(own.sources()), pairs(other.sources()));
  }
}

// MPICH takes the edges in the opposite order: 4.0 in Neighbor_alltoall only.
TEST(Neighbours, ArePairedOtherwiseByMPICH) {
#ifdef OPEN_MPI
  constexpr bool is_mpich = false, reverses_all = false;
#else
  constexpr bool is_mpich = true, reverses_all = MPICH_NUMVERSION >= 40100000;
#endif
  const auto is_otherwise = [](MPI_Comm communicator, Function function) {
    const Made made(communicator);
    return Neighbourhood(made.communicator).is_otherwise_in_library(function, MPI_COMM_SELF);
  };
  for (const Function function : {Function::Neighbor_allgather, Function::Neighbor_allgatherv, Function::Neighbor_alltoall,
                                  Function::Neighbor_alltoallv, Function::Neighbor_alltoallw}) {
    const bool gathers = gathers_of_neighbours(function), reverses = reverses_all || function == Function::Neighbor_alltoall;
    EXPECT_EQ(is_otherwise(grid(MPI_COMM_SELF, {1}, {1}), function), is_mpich && !gathers && !reverses) << name(function);
    EXPECT_EQ(is_otherwise(grid(MPI_COMM_SELF, {1, 1}, {1, 1}), function), is_mpich && !gathers) << name(function);
    EXPECT_EQ(is_otherwise(graph(MPI_COMM_SELF, {0, 0}, {0, 0}), function), is_mpich && !gathers && reverses) << name(function);
    EXPECT_FALSE(is_otherwise(grid(MPI_COMM_SELF, {1}, {0}), function)) << name(function);
  }
}

}  // namespace
}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
// The blocks of exchanged calls: with whom, where, how long; in place; and arguments that are left to the MPI library.
#include "mpi_face/blocks.hpp"

#include <gtest/gtest.h>

#include <array>

#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr Count p = 3;
constexpr Rank root = 1;
const MPI_Comm comm = MPI_COMM_NULL;  // never used
std::array<int, 64> in, out;
std::array<int, p> counts{2, 0, 3}, places{8, 0, 4}, negative{2, -1, 3};
const int* const nothing = nullptr;

// Block i of an alltoallv, or of a gatherv or scatterv at the root, is that of rank i.
struct Seen {
  Rank peer;
  const void* memory;
  Count count;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> seen(const SideBlocks& blocks) {
  std::vector<Seen> all;
  blocks.for_each([&](const CallBlock& block) { return all.push_back({block.peer, block.memory, block.count}), MPI_SUCCESS; });
  return all;
}

MpiCall gatherv(const void* from, int count, const int* each = counts.data(), const int* at = places.data()) {
  return call_of(Of<Function::Gatherv>(), from, count, MPI_INT, out.data(), each, at, MPI_INT, root, comm);
}

TEST(SideBlocks, OfAGathervLeadToTheRoot) {
  const MpiCall call = gatherv(in.data(), 3);
  const auto at_sender = blocks_of(call, 2, p), at_root = blocks_of(call, root, p);
  ASSERT_TRUE(at_sender && at_root);
  EXPECT_EQ(seen(at_sender->sent), (std::vector<Seen>{{root, in.data(), 3}}));
  EXPECT_EQ(at_sender->sent.bytes(), 12);
  EXPECT_TRUE(seen(at_sender->received).empty());
  EXPECT_TRUE(at_sender->received.is_plain()) << "there is nothing to unpack";
  EXPECT_EQ(seen(at_root->sent), (std::vector<Seen>{{root, in.data(), 3}})) << "to itself";
  EXPECT_EQ(seen(at_root->received), (std::vector<Seen>{{0, &out[8], 2}, {1, &out[0], 0}, {2, &out[4], 3}}));
  EXPECT_EQ(at_root->received.lengths(), (std::vector<Bytes>{8, 0, 12}));
}

TEST(SideBlocks, OfAScattervComeFromTheRoot) {
  const MpiCall call =
      call_of(Of<Function::Scatterv>(), in.data(), counts.data(), places.data(), MPI_INT, out.data(), 3, MPI_INT, root, comm);
  const auto at_receiver = blocks_of(call, 2, p), at_root = blocks_of(call, root, p);
  ASSERT_TRUE(at_receiver && at_root);
  EXPECT_EQ(seen(at_receiver->received), (std::vector<Seen>{{root, out.data(), 3}}));
  EXPECT_TRUE(seen(at_receiver->sent).empty());
  EXPECT_EQ(seen(at_root->sent), (std::vector<Seen>{{0, &in[8], 2}, {1, &in[0], 0}, {2, &in[4], 3}}));
}

// The root's own block stays where it is, but counts among the blocks of all ranks.
TEST(SideBlocks, InPlaceLeaveOutTheRootsOwn) {
  std::array<int, p> all{2, 5, 3};
  const MpiCall gather = gatherv(MPI_IN_PLACE, 0, all.data());
  const auto gathered = blocks_of(gather, root, p);
  ASSERT_TRUE(gathered);
  EXPECT_TRUE(seen(gathered->sent).empty());
  EXPECT_EQ(seen(gathered->received), (std::vector<Seen>{{0, &out[8], 2}, {2, &out[4], 3}}));
  EXPECT_EQ(gathered->received.bytes(), 20);
  EXPECT_EQ(gathered->received.lengths(), (std::vector<Bytes>{8, 20, 12}));
  const MpiCall scatter = call_of(Of<Function::Scatterv>(), in.data(), all.data(), places.data(), MPI_INT, MPI_IN_PLACE, 0,
                                  MPI_DATATYPE_NULL, root, comm);
  const auto scattered = blocks_of(scatter, root, p);
  ASSERT_TRUE(scattered);
  EXPECT_TRUE(seen(scattered->received).empty());
  EXPECT_EQ(seen(scattered->sent), (std::vector<Seen>{{0, &in[8], 2}, {2, &in[4], 3}}));
}

TEST(SideBlocks, OfAnAlltoallvInPlaceShareMemory) {
  const MpiCall call = call_of(Of<Function::Alltoallv>(), MPI_IN_PLACE, nothing, nothing, MPI_DATATYPE_NULL, out.data(),
                               counts.data(), places.data(), MPI_INT, comm);
  const auto blocks = blocks_of(call, 0, p);
  ASSERT_TRUE(blocks);
  EXPECT_TRUE(blocks->share_memory);
  EXPECT_EQ(seen(blocks->sent), seen(blocks->received));
}

// Displacements are bytes. A block without elements needs no type.
TEST(SideBlocks, OfAnAlltoallwHaveTypesOfTheirOwn) {
  const std::array<MPI_Datatype, p> types{MPI_INT, MPI_DATATYPE_NULL, MPI_CHAR};
  const auto call = [&](const MPI_Datatype* of_in) {
    return call_of(Of<Function::Alltoallw>(), in.data(), counts.data(), places.data(), of_in, out.data(), counts.data(),
                   places.data(), types.data(), comm);
  };
  const MpiCall right = call(types.data()), without = call(nullptr);
  const auto blocks = blocks_of(right, 0, p);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(seen(blocks->sent), (std::vector<Seen>{{0, &in[2], 2}, {1, &in[0], 0}, {2, &in[1], 3}}));
  EXPECT_EQ(blocks->sent.lengths(), (std::vector<Bytes>{8, 0, 3}));
  EXPECT_EQ(blocks->sent.bytes(), 11);
  EXPECT_TRUE(blocks->received.is_plain());
  EXPECT_FALSE(blocks_of(without, 0, p));
}

// A grid of one rank, closed in its second dimension only.
TEST(SideBlocks, OfNeighboursLeaveOutBorders) {
  const std::array<int, 2> sizes{1, 1}, closed{0, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_SELF, 2, sizes.data(), closed.data(), 0, &grid);
  const Neighbourhood neighbours(grid);
  MPI_Comm_free(&grid);
  const std::array<int, 4> four{1, 2, 3, 4}, at{0, 10, 20, 30};
  const MpiCall alltoallv = call_of(Of<Function::Neighbor_alltoallv>(), in.data(), four.data(), at.data(), MPI_INT, out.data(),
                                    four.data(), at.data(), MPI_INT, comm);
  const auto blocks = blocks_of(alltoallv, 0, 1, &neighbours);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(seen(blocks->sent), (std::vector<Seen>{{0, &in[20], 3}, {0, &in[30], 4}}));
  EXPECT_EQ(seen(blocks->received), (std::vector<Seen>{{0, &out[30], 4}, {0, &out[20], 3}})) << "from the opposite direction first";
  EXPECT_EQ(blocks->sent.lengths(), (std::vector<Bytes>{0, 0, 12, 16}));
  EXPECT_FALSE(blocks->sent.is_by_rank());
  const MpiCall allgather = call_of(Of<Function::Neighbor_allgather>(), in.data(), 5, MPI_INT, out.data(), 5, MPI_INT, comm);
  const auto gathered = blocks_of(allgather, 0, 1, &neighbours);
  ASSERT_TRUE(gathered);
  EXPECT_EQ(seen(gathered->sent), (std::vector<Seen>{{0, &in[0], 5}, {0, &in[0], 5}}));
  EXPECT_EQ(seen(gathered->received), (std::vector<Seen>{{0, &out[15], 5}, {0, &out[10], 5}}));
  EXPECT_EQ(gathered->sent.lengths(), (std::vector<Bytes>{20})) << "one block for all";
  EXPECT_EQ(gathered->received.lengths(), (std::vector<Bytes>{20, 20, 20, 20})) << "a row has no gaps at borders";
  EXPECT_EQ(block_of_neighbours(allgather), 20);
  EXPECT_EQ(block_of_neighbours(alltoallv), 0);
  EXPECT_FALSE(blocks_of(allgather, 0, 1)) << "without a topology";
  EXPECT_FALSE(blocks_of(
      call_of(Of<Function::Neighbor_alltoall>(), static_cast<void*>(MPI_IN_PLACE), 5, MPI_INT, out.data(), 5, MPI_INT, comm), 0, 1,
      &neighbours));
}

// The root's arguments are not significant at the other ranks, which may pass anything.
TEST(SideBlocks, LookAtSignificantArgumentsOnly) {
  const MpiCall call = call_of(Of<Function::Gatherv>(), in.data(), 3, MPI_INT, static_cast<void*>(nullptr), nothing, nothing,
                               MPI_DATATYPE_NULL, root, comm);
  EXPECT_TRUE(blocks_of(call, 2, p));
  EXPECT_FALSE(blocks_of(call, root, p));
}

TEST(SideBlocks, OfWrongArgumentsAreNone) {
  EXPECT_FALSE(blocks_of(gatherv(in.data(), -1), 0, p));
  EXPECT_FALSE(blocks_of(gatherv(nullptr, 1), 0, p)) << "no memory";
  EXPECT_TRUE(blocks_of(gatherv(nullptr, 0), 0, p));
  EXPECT_FALSE(blocks_of(gatherv(MPI_IN_PLACE, 3), 0, p)) << "in place, and not at the root";
  EXPECT_FALSE(blocks_of(gatherv(in.data(), 3, negative.data()), root, p));
  EXPECT_FALSE(blocks_of(gatherv(in.data(), 3, counts.data(), nothing), root, p));
  for (const int wrong_root : {-1, 3})
    EXPECT_FALSE(blocks_of(call_of(Of<Function::Gatherv>(), in.data(), 3, MPI_INT, out.data(), counts.data(), places.data(),
                                   MPI_INT, wrong_root, comm),
                           0, p));
  EXPECT_FALSE(blocks_of(call_of(Of<Function::Alltoallv>(), in.data(), nothing, places.data(), MPI_INT, out.data(), counts.data(),
                                 places.data(), MPI_INT, comm),
                         0, p));
}

TEST(SideBlocks, AreNoneWhereMpiForbidsInPlace) {
  EXPECT_FALSE(blocks_of(gatherv(MPI_IN_PLACE, 3), 2, p)) << "not the root";
  const auto at_root = [&](void* from, void* to) {
    return blocks_of(call_of(Of<Function::Scatterv>(), from, counts.data(), places.data(), MPI_INT, to, 3, MPI_INT, root, comm),
                     root, p);
  };
  EXPECT_TRUE(at_root(in.data(), MPI_IN_PLACE));
  EXPECT_FALSE(at_root(MPI_IN_PLACE, out.data()));
  EXPECT_FALSE(at_root(MPI_IN_PLACE, MPI_IN_PLACE));
  const auto all_to_all = [&](void* from, void* to) {
    return blocks_of(call_of(Of<Function::Alltoallv>(), from, counts.data(), places.data(), MPI_INT, to, counts.data(),
                             places.data(), MPI_INT, comm),
                     root, p);
  };
  EXPECT_TRUE(all_to_all(MPI_IN_PLACE, out.data()));
  EXPECT_FALSE(all_to_all(in.data(), MPI_IN_PLACE));
}

TEST(SideBlocks, OfExchangedCallsOnly) {
  for (const Function function : {Function::Gatherv, Function::Alltoallv, Function::Alltoallw, Function::Neighbor_allgather})
    EXPECT_TRUE(is_exchanged(function)) << name(function);
  for (const Function function : {Function::Gather, Function::Ialltoallw, Function::Ineighbor_alltoall})
    EXPECT_FALSE(is_exchanged(function)) << name(function);
  EXPECT_FALSE(has_root(Function::Alltoallv));
  EXPECT_FALSE(never_synchronises(Function::Alltoallv));
  EXPECT_TRUE(never_synchronises(Function::Alltoallw));
}

}  // namespace
}  // namespace quadrille::mpi_face

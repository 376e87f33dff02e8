// SPDX-License-Identifier: BSD-3-Clause
// The shapes of calls: sizes and places for each collective, in place and not, and arguments that are left to the MPI library.
#include "mpi_face/shape.hpp"

#include <gtest/gtest.h>

#include <array>

#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr Count ranks = 4;
const MPI_Comm no_comm = MPI_COMM_NULL;  // never used
std::array<int, 64> from, into;

// The shape at a rank, of the call with these arguments.
template <Function function, class... Arguments>
std::optional<Shape> shape_at(Rank rank, Arguments... arguments) {
  return shape_of(call_of(Of<function>(), arguments...), rank, ranks);
}

TEST(Shape, OfAnAlltoallHasTheSizeOfABlock) {
  const auto shape = shape_at<Function::Alltoall>(1, from.data(), 3, MPI_INT, into.data(), 3, MPI_INT, no_comm);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->collective, Collective::alltoall);
  EXPECT_EQ(shape->block_bytes, 12);
  EXPECT_EQ(shape->input.count, 3 * ranks);
  EXPECT_EQ(shape->output.memory, into.data());
  EXPECT_FALSE(shape->in_place);
}

// MPI requires the same bytes on both sides, but not the same types.
TEST(Shape, ComparesTheSizesOfBothSides) {
  const auto sides = [](int sent, MPI_Datatype type, int received) {
    return shape_at<Function::Alltoall>(0, from.data(), sent, type, into.data(), received, MPI_INT, no_comm).has_value();
  };
  EXPECT_TRUE(sides(8, MPI_BYTE, 2));
  EXPECT_FALSE(sides(7, MPI_BYTE, 2));
  EXPECT_FALSE(sides(9, MPI_BYTE, 2));
  EXPECT_TRUE(sides(0, MPI_BYTE, 0));
  EXPECT_FALSE(sides(-1, MPI_INT, -1));
  EXPECT_FALSE(sides(2, MPI_DATATYPE_NULL, 2));
}

TEST(Shape, NeedsMemoryOnlyWhereThereIsData) {
  const auto from_nowhere = [](int count) {
    return shape_at<Function::Alltoall>(0, nullptr, count, MPI_INT, into.data(), count, MPI_INT, no_comm).has_value();
  };
  EXPECT_TRUE(from_nowhere(0));
  EXPECT_FALSE(from_nowhere(1));
}

TEST(Shape, KnowsWhereMpiForbidsInPlace) {
  void* const here = MPI_IN_PLACE;
  EXPECT_FALSE(shape_at<Function::Bcast>(0, here, 3, MPI_INT, 0, no_comm));
  EXPECT_FALSE(shape_at<Function::Alltoall>(0, from.data(), 3, MPI_INT, here, 3, MPI_INT, no_comm));
  EXPECT_FALSE(shape_at<Function::Alltoall>(0, here, 3, MPI_INT, here, 3, MPI_INT, no_comm));
  EXPECT_FALSE(shape_at<Function::Scatter>(0, here, 3, MPI_INT, into.data(), 3, MPI_INT, 0, no_comm));
  EXPECT_FALSE(shape_at<Function::Scatter>(0, here, 3, MPI_INT, here, 3, MPI_INT, 0, no_comm));
}

TEST(Shape, InPlaceFindsTheInputInTheOutput) {
  const auto alltoall = shape_at<Function::Alltoall>(1, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into.data(), 3, MPI_INT, no_comm);
  ASSERT_TRUE(alltoall);
  EXPECT_TRUE(alltoall->in_place);
  EXPECT_EQ(alltoall->input.memory, into.data());
  EXPECT_EQ(alltoall->input.count, 3 * ranks);
  EXPECT_EQ(alltoall->block_bytes, 12);

  const auto allgather = shape_at<Function::Allgather>(2, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into.data(), 3, MPI_INT, no_comm);
  ASSERT_TRUE(allgather);
  EXPECT_EQ(allgather->input.memory, into.data() + 6) << "rank 2's own block";
  EXPECT_EQ(allgather->input.count, 3);
  EXPECT_EQ(allgather->block_bytes, 12);

  const auto scatter = shape_at<Function::Reduce_scatter_block>(2, MPI_IN_PLACE, into.data(), 3, MPI_INT, MPI_SUM, no_comm);
  ASSERT_TRUE(scatter);
  EXPECT_EQ(scatter->input.memory, into.data()) << "the whole vector";
  EXPECT_EQ(scatter->input.count, 3 * ranks);
  EXPECT_EQ(scatter->output.count, 3);

  const auto sum = shape_at<Function::Allreduce>(2, MPI_IN_PLACE, into.data(), 3, MPI_INT, MPI_SUM, no_comm);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->input.count, 3);
  EXPECT_EQ(sum->block_bytes, 12);
}

TEST(Shape, OfABroadcastHasAnInputAtTheRootOnly) {
  for (const Rank rank : {0, 3}) {
    const auto shape = shape_at<Function::Bcast>(rank, into.data(), 5, MPI_INT, 3, no_comm);
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->root, 3);
    EXPECT_EQ(shape->block_bytes, 20);
    EXPECT_TRUE(shape->in_place);
    EXPECT_EQ(shape->input.facts.is_valid, rank == 3);
  }
}

TEST(Shape, RefusesRootsThatAreNoRanks) {
  for (const int root : {-1, 4}) EXPECT_FALSE(shape_at<Function::Bcast>(0, into.data(), 5, MPI_INT, root, no_comm)) << root;
  for (const int root : {0, 3}) EXPECT_TRUE(shape_at<Function::Bcast>(0, into.data(), 5, MPI_INT, root, no_comm)) << root;
}

// Only the root's arguments for the result count; elsewhere they may be anything.
TEST(Shape, OfRootedCollectivesReadsWhatARankHas) {
  const auto gather = [](Rank rank, void* memory, int count) {
    return shape_at<Function::Gather>(rank, from.data(), 2, MPI_INT, memory, count, MPI_INT, 1, no_comm);
  };
  EXPECT_TRUE(gather(0, nullptr, -7));
  EXPECT_FALSE(gather(0, nullptr, -7)->output.facts.is_valid);
  EXPECT_FALSE(gather(1, nullptr, 2));
  EXPECT_FALSE(gather(1, into.data(), 3)) << "another size";
  ASSERT_TRUE(gather(1, into.data(), 2));
  EXPECT_EQ(gather(1, into.data(), 2)->output.count, 2 * ranks);
  EXPECT_EQ(gather(1, into.data(), 2)->block_bytes, 8);

  const auto in_place = [](Rank rank) {
    return shape_at<Function::Gather>(rank, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into.data(), 2, MPI_INT, 1, no_comm);
  };
  ASSERT_TRUE(in_place(1));
  EXPECT_EQ(in_place(1)->input.memory, into.data() + 2);
  EXPECT_FALSE(in_place(0)) << "only the root of a gather may be in place";
}

TEST(Shape, OfAScatterInPlaceWritesNoOutput) {
  const auto scatter = [](Rank rank) {
    return shape_at<Function::Scatter>(rank, from.data(), 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, no_comm);
  };
  ASSERT_TRUE(scatter(1));
  EXPECT_TRUE(scatter(1)->keeps_output);
  EXPECT_EQ(scatter(1)->input.count, 2 * ranks);
  EXPECT_EQ(scatter(1)->output.count, 2);
  EXPECT_EQ(scatter(1)->block_bytes, 8);
  EXPECT_FALSE(shape_at<Function::Gather>(1, from.data(), 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, no_comm))
      << "a gather's root has no result then";
}

TEST(Shape, OfAnAllgathervHasAllShares) {
  const int places[ranks] = {0, 8, 16, 24};
  const auto shape = [&](const std::array<int, ranks>& shares, int own, const int* at = nullptr) {
    return shape_at<Function::Allgatherv>(1, from.data(), own, MPI_INT, into.data(), shares.data(), at ? at : places, MPI_INT,
                                          no_comm);
  };
  const std::array<int, ranks> shares{1, 2, 0, 3};
  ASSERT_TRUE(shape(shares, 2));
  EXPECT_EQ(shape(shares, 2)->block_bytes, 6 * 4) << "the sum of the shares";
  EXPECT_EQ(shape(shares, 2)->output.blocks, ranks);
  EXPECT_FALSE(shape(shares, 1)) << "not this rank's share";
  EXPECT_FALSE(shape({1, 2, -1, 3}, 2));
  EXPECT_FALSE(shape_at<Function::Allgatherv>(1, from.data(), 2, MPI_INT, into.data(), shares.data(),
                                              static_cast<const int*>(nullptr), MPI_INT, no_comm));
  EXPECT_FALSE(shape_at<Function::Allgatherv>(1, from.data(), 2, MPI_INT, into.data(), static_cast<const int*>(nullptr), places,
                                              MPI_INT, no_comm));
  const auto in_place =
      shape_at<Function::Allgatherv>(3, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, into.data(), shares.data(), places, MPI_INT, no_comm);
  ASSERT_TRUE(in_place);
  EXPECT_EQ(in_place->input.memory, into.data() + 24);
  EXPECT_EQ(in_place->input.count, 3);
  EXPECT_EQ(in_place->input.blocks, 0) << "one contiguous share";
}

TEST(Shape, OfAReduceScatterHasThisRanksShareAsOutput) {
  const int shares[ranks] = {1, 2, 0, 3};
  for (const Rank rank : {0, 2, 3}) {
    const auto shape = shape_at<Function::Reduce_scatter>(rank, from.data(), into.data(), shares, MPI_INT, MPI_SUM, no_comm);
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->collective, Collective::reduce_scatterv);
    EXPECT_EQ(shape->input.count, 6);
    EXPECT_EQ(shape->output.count, shares[rank]);
    EXPECT_EQ(shape->block_bytes, 24);
  }
  const auto in_place = shape_at<Function::Reduce_scatter>(1, MPI_IN_PLACE, into.data(), shares, MPI_INT, MPI_SUM, no_comm);
  ASSERT_TRUE(in_place);
  EXPECT_EQ(in_place->input.memory, into.data()) << "all shares are in the output's memory";
  EXPECT_EQ(in_place->input.count, 6);
  EXPECT_EQ(in_place->output.count, 2);
}

// There are no plans for exchanges and for the functions that the MPI library always runs.
TEST(Shape, IsOnlyOfCollectivesThatPlansCanRun) {
  EXPECT_EQ(collective_of(Function::Exscan), Collective::exscan);
  EXPECT_EQ(collective_of(Function::Reduce_scatter), Collective::reduce_scatterv);
  EXPECT_EQ(collective_of(Function::Reduce_scatter_block), Collective::reduce_scatter);
  for (const Function function : {Function::Alltoallv, Function::Alltoallw, Function::Gatherv, Function::Scatterv,
                                  Function::Neighbor_alltoall, Function::Ibarrier})
    EXPECT_FALSE(collective_of(function)) << name(function);
}

// A known shape with the buffers of another call of its kind is the shape of that call.
template <Function function, class Call>
void expect_takes_buffers(const Call& call_with) {
  static std::array<int, 64> other_from, other_into;
  for (Rank rank = 0; rank < ranks; ++rank) {
    auto shape = shape_of(call_with(from.data(), into.data()), rank, ranks);
    const MpiCall other = call_with(other_from.data(), other_into.data());
    const auto expected = shape_of(other, rank, ranks);
    ASSERT_TRUE(shape && expected) << name(function) << ", rank " << rank;
    shape->set_buffers(other);
    if (expected->input.facts.is_valid) {
      EXPECT_EQ(shape->input.memory, expected->input.memory) << name(function) << ", rank " << rank;
    }
    if (expected->output.facts.is_valid) {
      EXPECT_EQ(shape->output.memory, expected->output.memory) << name(function) << ", rank " << rank;
    }
  }
}

TEST(Shape, TakesTheBuffersOfAnotherCall) {
  expect_takes_buffers<Function::Alltoall>(
      [](int* in, int* out) { return call_of(Of<Function::Alltoall>(), in, 3, MPI_INT, out, 3, MPI_INT, no_comm); });
  expect_takes_buffers<Function::Bcast>([](int* in, int*) { return call_of(Of<Function::Bcast>(), in, 3, MPI_INT, 2, no_comm); });
  expect_takes_buffers<Function::Reduce>(
      [](int* in, int* out) { return call_of(Of<Function::Reduce>(), in, out, 3, MPI_INT, MPI_SUM, 1, no_comm); });
  expect_takes_buffers<Function::Gather>(
      [](int* in, int* out) { return call_of(Of<Function::Gather>(), in, 3, MPI_INT, out, 3, MPI_INT, 1, no_comm); });
}

TEST(Shape, TakesTheBuffersOfAnotherCallInPlace) {
  void* const here = MPI_IN_PLACE;
  expect_takes_buffers<Function::Allreduce>(
      [&](int*, int* out) { return call_of(Of<Function::Allreduce>(), here, out, 3, MPI_INT, MPI_SUM, no_comm); });
  expect_takes_buffers<Function::Allgather>(
      [&](int*, int* out) { return call_of(Of<Function::Allgather>(), here, 0, MPI_DATATYPE_NULL, out, 3, MPI_INT, no_comm); });
  expect_takes_buffers<Function::Reduce_scatter_block>(
      [&](int*, int* out) { return call_of(Of<Function::Reduce_scatter_block>(), here, out, 3, MPI_INT, MPI_SUM, no_comm); });
  const auto scatter = [&](int* in) {
    return call_of(Of<Function::Scatter>(), in, 3, MPI_INT, here, 0, MPI_DATATYPE_NULL, 1, no_comm);
  };
  auto root = shape_of(scatter(from.data()), 1, ranks);
  root->set_buffers(scatter(into.data()));
  EXPECT_EQ(root->input.memory, into.data());
  EXPECT_EQ(root->output.memory, into.data());
}

// No rank waits for a rank that has nothing to give.
TEST(Shape, SynchronisesIfEveryRankGivesSomething) {
  const auto alltoall = [](int count) {
    return synchronises(*shape_at<Function::Alltoall>(0, from.data(), count, MPI_INT, into.data(), count, MPI_INT, no_comm), ranks);
  };
  EXPECT_TRUE(alltoall(1));
  EXPECT_FALSE(alltoall(0));
  EXPECT_TRUE(synchronises(*shape_at<Function::Barrier>(0, no_comm), ranks));
  EXPECT_FALSE(synchronises(*shape_at<Function::Bcast>(0, into.data(), 5, MPI_INT, 3, no_comm), ranks));
  EXPECT_FALSE(synchronises(*shape_at<Function::Scan>(0, from.data(), into.data(), 5, MPI_INT, MPI_SUM, no_comm), ranks));
  const int places[ranks] = {0, 8, 16, 24};
  const auto allgatherv = [&](const std::array<int, ranks>& shares) {
    return synchronises(
        *shape_at<Function::Allgatherv>(0, from.data(), shares[0], MPI_INT, into.data(), shares.data(), places, MPI_INT, no_comm),
        ranks);
  };
  EXPECT_TRUE(allgatherv({1, 2, 1, 3}));
  EXPECT_FALSE(allgatherv({1, 2, 0, 3}));
}

}  // namespace
}  // namespace quadrille::mpi_face

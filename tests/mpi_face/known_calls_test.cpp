// SPDX-License-Identifier: BSD-3-Clause
// Which calls are alike, and of which calls a signature may be kept.
#include "mpi_face/known_calls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {
namespace {

const MPI_Comm nowhere = MPI_COMM_NULL;  // never used
std::array<int, 64> first, second, third;

MpiCall alltoall_of(void* in, int count, MPI_Datatype type, void* out) {
  return call_of(Of<Function::Alltoall>(), in, count, type, out, count, type, nowhere);
}

MpiCall reduce_of(void* in, MPI_Op operation, int root) {
  return call_of(Of<Function::Reduce>(), in, second.data(), 4, MPI_INT, operation, root, nowhere);
}

TEST(CallSignature, IsOfCallsThatDifferInAddresses) {
  const MpiCall call = alltoall_of(first.data(), 4, MPI_INT, second.data()),
                moved = alltoall_of(third.data(), 4, MPI_INT, first.data());
  EXPECT_TRUE(CallSignature(call).is_of(moved));
  EXPECT_EQ(CallSignature::hash_of(call, call.function), CallSignature::hash_of(moved, moved.function));
}

TEST(CallSignature, DiffersInEachArgumentButAddresses) {
  const std::vector<MpiCall> calls{
      alltoall_of(first.data(), 4, MPI_INT, second.data()),
      alltoall_of(first.data(), 5, MPI_INT, second.data()),
      alltoall_of(first.data(), 4, MPI_FLOAT, second.data()),
      alltoall_of(MPI_IN_PLACE, 4, MPI_INT, second.data()),
      alltoall_of(nullptr, 4, MPI_INT, second.data()),
      alltoall_of(first.data(), 4, MPI_INT, nullptr),
      call_of(Of<Function::Allgather>(), first.data(), 4, MPI_INT, second.data(), 4, MPI_INT, nowhere),
      call_of(Of<Function::Alltoall>(), first.data(), 4, MPI_INT, second.data(), 2, MPI_DOUBLE, nowhere),
      reduce_of(first.data(), MPI_SUM, 0),
      reduce_of(first.data(), MPI_MAX, 0),
      reduce_of(first.data(), MPI_SUM, 1),
      reduce_of(MPI_IN_PLACE, MPI_SUM, 0),
      call_of(Of<Function::Barrier>(), nowhere)};
  for (std::size_t i = 0; i < calls.size(); ++i)
    for (std::size_t j = 0; j < calls.size(); ++j) EXPECT_EQ(CallSignature(calls[i]).is_of(calls[j]), i == j) << i << ", " << j;
  for (const MpiCall& call : calls) EXPECT_FALSE(CallSignature().is_of(call));
}

// The counts of an array may change, and so may the type that a handle means.
TEST(CallSignature, CannotBeKeptOfArraysAndDerivedTypes) {
  const int counts[] = {1, 2, 3}, places[] = {0, 1, 3};
  EXPECT_TRUE(CallSignature::can_be_of(alltoall_of(first.data(), 4, MPI_INT, second.data())));
  EXPECT_TRUE(CallSignature::can_be_of(call_of(Of<Function::Barrier>(), nowhere)));
  EXPECT_FALSE(CallSignature::can_be_of(
      call_of(Of<Function::Allgatherv>(), first.data(), 1, MPI_INT, second.data(), counts, places, MPI_INT, nowhere)));
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  EXPECT_FALSE(CallSignature::can_be_of(alltoall_of(first.data(), 4, pair, second.data())));
  EXPECT_FALSE(
      CallSignature::can_be_of(call_of(Of<Function::Alltoall>(), first.data(), 4, MPI_INT, second.data(), 2, pair, nowhere)));
  EXPECT_TRUE(
      CallSignature::can_be_of(call_of(Of<Function::Alltoall>(), MPI_IN_PLACE, 4, pair, second.data(), 2, MPI_INT, nowhere)));
  MPI_Type_free(&pair);
}

// Calls with counts are not alike one without.
TEST(CallSignature, IsNotOfCallsWithCounts) {
  const int counts[] = {0, 0, 0}, places[] = {0, 0, 0};
  MpiCall call = call_of(Of<Function::Allgatherv>(), first.data(), 0, MPI_INT, second.data(), counts, places, MPI_INT, nowhere);
  const CallSignature signature(call);
  EXPECT_FALSE(signature.is_of(call));
}

// More calls than there are places for recent ones. Each keeps its own entry, as calls of other functions with its arguments do.
TEST(KnownCalls, FindTheEntryOfEachSignature) {
  KnownCalls calls;
  std::vector<KnownCall*> added;
  const auto call_with = [](int count) { return alltoall_of(first.data(), count, MPI_INT, second.data()); };
  for (int count = 0; count < 100; ++count) {
    EXPECT_EQ(calls.find(call_with(count)), nullptr);
    added.push_back(calls.add(call_with(count), Function::Alltoall));
    ASSERT_NE(added.back(), nullptr);
  }
  for (int again = 0; again < 2; ++again)
    for (int count = 0; count < 100; ++count)
      EXPECT_EQ(calls.find(call_with(count)), added[static_cast<std::size_t>(count)]) << count;
  EXPECT_EQ(calls.find(call_with(0), Function::Ialltoall), nullptr);
}

// A full table finds what it has.
TEST(KnownCalls, AreBounded) {
  KnownCalls calls;
  int count = 0;
  while (calls.add(alltoall_of(first.data(), count, MPI_INT, second.data()), Function::Alltoall)) ++count;
  EXPECT_EQ(count, 8192);
  EXPECT_NE(calls.find(alltoall_of(first.data(), count - 1, MPI_INT, second.data())), nullptr);
  EXPECT_EQ(calls.find(alltoall_of(first.data(), count, MPI_INT, second.data())), nullptr);
}

TEST(KnownCalls, KeepWhatIsKnownOfACall) {
  KnownCalls calls;
  const MpiCall call = alltoall_of(first.data(), 4, MPI_INT, second.data());
  calls.keep(call, Function::Alltoall, {.price_s = 1});
  ASSERT_NE(calls.find(call), nullptr);
  EXPECT_EQ(calls.find(call)->seen->price_s, 1);
  const int counts[] = {1, 2, 3}, places[] = {0, 1, 3};
  const MpiCall irregular =
      call_of(Of<Function::Allgatherv>(), first.data(), 1, MPI_INT, second.data(), counts, places, MPI_INT, nowhere);
  EXPECT_EQ(calls.keep(irregular, Function::Allgatherv, {.price_s = 2}).price_s, 2);
  EXPECT_EQ(calls.find(irregular), nullptr) << "its counts may change";
  EXPECT_EQ(calls.find(call)->seen->price_s, 1);
}

}  // namespace
}  // namespace quadrille::mpi_face

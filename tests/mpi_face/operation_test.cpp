// SPDX-License-Identifier: BSD-3-Clause
// Which operators are ours, which ones combine elements by MPI, and which reductions are left to the MPI library. The values of all
// of them are tested in operators.c.
#include "mpi_face/operation.hpp"

#include <gtest/gtest.h>

namespace quadrille::mpi_face {
namespace {

std::shared_ptr<const Operator> operator_for(MPI_Op operation, MPI_Datatype type) {
  return operation_of(operation, type, facts_of(type));
}

TEST(Operation, IsOursWhereWeHaveIt) {
  EXPECT_EQ(operator_for(MPI_SUM, MPI_INT), built_in_operator("sum", "i32"));
  EXPECT_EQ(operator_for(MPI_BOR, MPI_BYTE), built_in_operator("bor", "u8"));
  EXPECT_EQ(operator_for(MPI_SUM, MPI_INT), operator_for(MPI_SUM, MPI_INTEGER));
}

TEST(Operation, IsMpisForOtherPredefinedTypes) {
  const auto any = operator_for(MPI_LOR, MPI_LOGICAL);
  ASSERT_TRUE(any);
  EXPECT_FALSE(is_built_in(*any));
  EXPECT_EQ(any, operator_for(MPI_LOR, MPI_LOGICAL));
  EXPECT_NE(any, operator_for(MPI_LAND, MPI_LOGICAL));
  EXPECT_TRUE(operator_for(MPI_SUM, MPI_LONG_DOUBLE));
  const auto least = operator_for(MPI_MINLOC, MPI_DOUBLE_INT);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->element_bytes, 12) << "its elements are packed";
}

TEST(Operation, IsNoneThatMpiDoesNotHave) {
  EXPECT_FALSE(operator_for(MPI_BAND, MPI_DOUBLE));
  EXPECT_FALSE(operator_for(MPI_MINLOC, MPI_LOGICAL));
}

TEST(Operation, IsNoneOfTheUsersOwn) {
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
  EXPECT_FALSE(operator_for(own, MPI_INT));
  MPI_Op_free(&own);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  EXPECT_FALSE(operator_for(MPI_SUM, pair));
  MPI_Type_free(&pair);
}

}  // namespace
}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
// Executing a ready plan allocates nothing (threads; the MPI executor is tested by tests/mpi).
#include <gtest/gtest.h>

#include "support/allocations.hpp"

namespace quadrille {
namespace {

TEST(Allocation, IsCounted) {
  const long before = testing::allocation_count;
  int* volatile number = new int(3);  // volatile, because a compiler may leave out what is deleted at once
  delete number;
  EXPECT_GT(testing::allocation_count, before);
}

TEST(Allocation, NoneWhileAPlanExecutes) {
  run_threads(4, [](Communicator& communicator) {
    const std::string wrong = testing::first_allocation(communicator);
    if (communicator.rank() == 0) EXPECT_EQ(wrong, "");
  });
}

}  // namespace
}  // namespace quadrille

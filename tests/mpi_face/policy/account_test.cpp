// SPDX-License-Identifier: BSD-3-Clause
// Tests what Quadrille may spend, and what it expects to spend.
#include "mpi_face/policy/account.hpp"

#include <gtest/gtest.h>

namespace quadrille::mpi_face {
namespace {

TEST(Account, AllowsTwoPercentOnceTheRunHasLastedASecond) {
  EXPECT_DOUBLE_EQ(Account::allowance(0), 0.02);
  EXPECT_DOUBLE_EQ(Account::allowance(1), 0.02);
  EXPECT_DOUBLE_EQ(Account::allowance(50), 1.0);
}

TEST(Account, AddsUp) {
  Account account;
  account.spend(0.25);
  account.spend(0.5);
  EXPECT_DOUBLE_EQ(account.spent_s(), 0.75);
  EXPECT_DOUBLE_EQ(Account().spent_s(), 0);
}

TEST(CostOfRank, IsAGuessUntilItWasMeasured) {
  CostOfRank cost(1e-3);
  EXPECT_DOUBLE_EQ(cost.of(8), 8e-3);
  cost.measured(0.1, 10);
  EXPECT_DOUBLE_EQ(cost.of(8), 80e-3);
}

}  // namespace
}  // namespace quadrille::mpi_face

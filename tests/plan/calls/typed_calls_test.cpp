// SPDX-License-Identifier: BSD-3-Clause
#include "support/typed_calls.hpp"

#include <gtest/gtest.h>
#include "quadrille/groups.hpp"

namespace quadrille {
namespace {

TEST(TypedCalls, GiveTheResultsOfAPlainLoop) {
  for (const Count p : {1, 2, 3, 4, 5}) run_threads(p, [](Communicator& ranks) { EXPECT_EQ(testing::run_typed_calls(ranks), ""); });
}

}  // namespace
}  // namespace quadrille

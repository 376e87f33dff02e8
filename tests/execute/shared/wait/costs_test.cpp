// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/wait/costs.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(SharingCosts, AreKeptForEachProcess) {
  EXPECT_FALSE(kept_costs(1));
  SharingCosts costs;
  costs.yields_hand_over = false;
  keep_costs(1, costs);
  EXPECT_FALSE(kept_costs(1)->yields_hand_over);
  EXPECT_FALSE(kept_costs(2));
  costs.yields_hand_over = true;
  keep_costs(1, costs);
  EXPECT_TRUE(kept_costs(1)->yields_hand_over);
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/wording.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace quadrille {
namespace {

TEST(Counted, HasThePluralOfAllButOne) {
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(std::size_t{2}, "finding"), "2 findings");
}

}  // namespace
}  // namespace quadrille

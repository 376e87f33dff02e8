// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/lookup.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace quadrille {
namespace {

TEST(Recent, ReplacesTheOldest) {
  Recent<int, std::string, 2> recent;
  EXPECT_EQ(recent.find(0), nullptr);  // also a key equal to int{}
  recent.add(1, "one");
  recent.add(2, "two");
  ASSERT_TRUE(recent.find(1) && recent.find(2));
  recent.add(3, "three");
  EXPECT_EQ(recent.find(1), nullptr);
  EXPECT_EQ(*recent.find(2), "two");
  EXPECT_EQ(*recent.find(3), "three");
}

TEST(Recent, BelongsToOneThread) {
  using Numbers = Recent<int, int, 1>;
  Numbers::of_this_thread().add(1, 10);
  std::thread([] { EXPECT_EQ(Numbers::of_this_thread().find(1), nullptr); }).join();
  EXPECT_TRUE(Numbers::of_this_thread().find(1));
}

}  // namespace
}  // namespace quadrille

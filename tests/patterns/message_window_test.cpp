// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/packing_rule.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(MessageWindow, KeepsTheLinkFullBetweenItsLimits) {
  const MessageWindow window{.link_bytes = 10'000, .least = 4, .most = 50};
  EXPECT_EQ(window.under_way(1000, 1000 * 1000), 10);
  EXPECT_EQ(window.under_way(1000, 1000 * 1001), 10);  // 9 messages have less than 10,000 B
  EXPECT_EQ(window.under_way(1000, 1000 * 999), 11);
  EXPECT_EQ(window.under_way(1000, 1000 * 200), 50);
  EXPECT_EQ(window.under_way(1000, 1000 * 199), 50);
  EXPECT_EQ(window.under_way(1000, 1000 * 2500), 4);
  EXPECT_EQ(window.under_way(1000, 1000 * 2499), 5);
  EXPECT_EQ(window.under_way(1000, 1'000'000'000'000), 4);
}

TEST(MessageWindow, EmptyMessagesAreShortMessages) {
  EXPECT_EQ(MessageWindow{}.under_way(0, 0), MessageWindow{}.most);
  EXPECT_EQ(MessageWindow{}.under_way(10, 0), MessageWindow{}.most);
}

// What a rank's messages move in the time of a start-up, on the fastest network: about 2 us at 25 to 50 GB/s.
TEST(MessageWindow, IsFullOnFastLinks) {
  for (const Bytes bytes : {513, 1024, 4096, 16384, 65536, 1 << 20})
    EXPECT_GE(MessageWindow{}.under_way(100, 100 * bytes) * bytes, 100'000) << bytes;
}

}  // namespace
}  // namespace quadrille

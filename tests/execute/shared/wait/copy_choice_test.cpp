// SPDX-License-Identifier: BSD-3-Clause
// The choice on both sides of each of its borders.
#include "execute/shared/wait/costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "quadrille/indexed.hpp"
#include "support/copy_costs.hpp"

namespace quadrille {
namespace {

using testing::costs_of;
using Way = CopyWay;
using Ways = std::vector<CopyWay>;

Ways ways_of(const CopyCosts& costs, std::vector<CopiedMessage> messages, bool in_pieces = false) {
  const CopyChoice choice(costs);
  Bytes longest = 0;
  Count count = 0;
  for (const CopiedMessage& message : messages) longest = std::max(longest, message.bytes), count += message.receivers;
  const bool any = choice.choose(std::span(messages), in_pieces);
  Ways ways;
  for (const CopiedMessage& message : messages) ways.push_back(message.way);
  EXPECT_EQ(any, std::find(ways.begin(), ways.end(), Way::rendezvous) != ways.end());
  if (!choice.may_differ(count, longest)) EXPECT_EQ(ways, Ways(messages.size(), Way::eager));
  return ways;
}

std::vector<CopiedMessage> equal(Count count, CopiedMessage message) { return std::vector<CopiedMessage>(index(count), message); }
Ways all(Count count, Way way) { return Ways(index(count), way); }

TEST(CopyChoice, CopiesOnceIfThatSavesMoreThanAWait) {
  // Each message of 32 KiB saves 0.5 us.
  EXPECT_EQ(ways_of(costs_of(1, 1.9), equal(4, {.bytes = 32768})), all(4, Way::rendezvous));
  EXPECT_EQ(ways_of(costs_of(1, 2.1), equal(4, {.bytes = 32768})), all(4, Way::eager));
  EXPECT_EQ(ways_of(costs_of(1, 1.9), equal(3, {.bytes = 32768})), all(3, Way::eager));
  // Between powers of two: 48 KiB saves 0.75 us.
  EXPECT_EQ(ways_of(costs_of(1, 1.4), equal(2, {.bytes = 49152})), all(2, Way::rendezvous));
  EXPECT_EQ(ways_of(costs_of(1, 1.6), equal(2, {.bytes = 49152})), all(2, Way::eager));
}

TEST(CopyChoice, NeverCopiesMessagesBelow1KiBOnce) {
  EXPECT_EQ(ways_of(costs_of(1e-6, 0), equal(100, {.bytes = 1023})), all(100, Way::eager));
  EXPECT_EQ(ways_of(costs_of(1e-6, 0), equal(1, {.bytes = 1024})), all(1, Way::rendezvous));
}

TEST(CopyChoice, LeavesOutMessagesThatSaveNothing) {
  CopyCosts costs = costs_of(1, 0.1);
  costs.once[0] = 1e-6;  // a system call takes longer than to copy 1 KiB twice
  EXPECT_EQ(ways_of(costs, {{.bytes = 1024}, {.bytes = 32768}}), (Ways{Way::eager, Way::rendezvous}));
}

TEST(CopyChoice, CopiesLongMessagesOnceAndThenOthersToo) {
  const CopyCosts costs = costs_of(1, 0.6);  // eager_limit() is 16 KiB
  ASSERT_EQ(CopyChoice(costs).eager_limit(), 16384);
  EXPECT_EQ(ways_of(costs, {{.bytes = 16384}}), all(1, Way::eager));
  EXPECT_EQ(ways_of(costs, {{.bytes = 16385}}), all(1, Way::rendezvous));
  EXPECT_EQ(ways_of(costs, {{.bytes = 2048}, {.bytes = 1000}, {.bytes = 16385}}),
            (Ways{Way::rendezvous, Way::eager, Way::rendezvous}));
}

TEST(CopyChoice, SendsLongMessagesInPiecesIfAsked) {
  EXPECT_EQ(ways_of(costs_of(8, 1), equal(1, {.bytes = 65537}), true), all(1, Way::pieces));
  EXPECT_EQ(ways_of(costs_of(8, 1), equal(1, {.bytes = 65536}), true), all(1, Way::eager));  // not long
  EXPECT_EQ(ways_of(costs_of(8, 1), equal(1, {.bytes = 65537, .is_loaded = true}), true), all(1, Way::rendezvous));
}

double pieces_by_once(const CopyCosts& costs, const std::vector<CopiedMessage>& messages) {
  const CopyChoice choice(costs);
  return choice.pieces_by_once(choice.long_messages(std::span<const CopiedMessage>(messages)));
}

TEST(CopyChoice, PredictsWhatPiecesTake) {
  // A piece takes 1 us; copying as many bytes once takes 4 us.
  EXPECT_NEAR(pieces_by_once(costs_of(8, 1), equal(1, {.bytes = 65537})), 3.0 / 4, 1e-6);  // two waits for each piece,
  EXPECT_NEAR(pieces_by_once(costs_of(8, 1), equal(2, {.bytes = 65537})), 2.0 / 4, 1e-6);  // which two messages share
  // Messages that are not long, or can be loaded, do not count; and the longest one is alone for most of its time.
  EXPECT_NEAR(
      pieces_by_once(
          costs_of(8, 1),
          {{.bytes = 4 << 20}, {.bytes = 2 << 20}, {.bytes = 2 << 20}, {.bytes = 8}, {.bytes = 4 << 20, .is_loaded = true}}),
      2.0 / 4, 1e-6);
}

TEST(CopyChoice, LoadsFromSharedMemory) {
  // Only the copy in is saved, whatever it would cost to call the system.
  EXPECT_EQ(ways_of(costs_of(8, 0.9), equal(2, {.bytes = 32768, .is_loaded = true})), all(2, Way::rendezvous));
  EXPECT_EQ(ways_of(costs_of(8, 1.1), equal(2, {.bytes = 32768, .is_loaded = true})), all(2, Way::eager));
  EXPECT_EQ(ways_of(costs_of(8, 0.1), equal(1, {.bytes = 1 << 20, .is_loaded = true, .is_readable = false})),
            all(1, Way::rendezvous));
}

TEST(CopyChoice, KnowsThatSomeMemoryCannotBeRead) {
  EXPECT_EQ(ways_of(costs_of(1e-6, 0), equal(9, {.bytes = 1024, .is_readable = false})), (Ways(9, Way::eager)));
  EXPECT_EQ(ways_of(costs_of(1e-6, 0), equal(9, {.bytes = 1025, .is_readable = false})), (Ways(9, Way::pieces)));
}

// Messages that send the same bytes to several receivers need one copy into shared memory for all of them.
TEST(CopyChoice, CountsTheCopyIntoTheAreaOnce) {
  // 64 KiB to three receivers: saves 1 us, and for each receiver 0.5 us.
  EXPECT_EQ(ways_of(costs_of(0.5, 2.4), {{.bytes = 65536, .receivers = 3}}), all(1, Way::rendezvous));
  EXPECT_EQ(ways_of(costs_of(0.5, 2.6), {{.bytes = 65536, .receivers = 3}}), all(1, Way::eager));
  EXPECT_EQ(ways_of(costs_of(0.5, 2.6), equal(3, {.bytes = 65536})), all(3, Way::rendezvous));
}

}  // namespace
}  // namespace quadrille

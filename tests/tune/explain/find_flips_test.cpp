// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/find_flips.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace quadrille {
namespace {

const Deadline never = Deadline::max();

std::vector<Count> places_of(const Flips& flips) {
  std::vector<Count> places;
  for (const Flip& flip : flips.list) places.push_back(flip.from);
  return places;
}

TEST(FindFlips, FindsTheExactValueBetweenTwoNeighbours) {
  std::vector<Flip> changes;
  const auto is_next = [](Count from, Count to) { return to - from == 1; };
  const auto way_at = [](Count value) { return std::string(value < 100 ? "a" : value < 107 ? "b" : "c"); };
  find_changes({64, "a"}, {128, "c"}, way_at, is_next, changes);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].from, 100);
  EXPECT_EQ(changes[0].way, "b");
  EXPECT_EQ(changes[1].from, 107);
  EXPECT_EQ(changes[1].way, "c");
}

TEST(FindFlips, BisectsToThreePercentOrTakesOnlyTheValues) {
  const std::vector<Count> values{1, 1024, 4096, 16384};
  const auto way_at = [](Count value) { return std::string(value < 3000 ? "few" : "many"); };
  EXPECT_EQ(places_of(find_flips(values, false, never, way_at)), (std::vector<Count>{1, 4096}));
  const Flips bisected = find_flips(values, true, never, way_at);
  ASSERT_EQ(bisected.list.size(), 2u);
  EXPECT_GE(bisected.list[1].from, 3000);
  EXPECT_LE(bisected.list[1].from, 3000 + 3000 / 32);
  EXPECT_EQ(bisected.upto, 16384);
  EXPECT_EQ(bisected.note, "");
}

TEST(FindFlips, StopsAtTheDeadlineAndSaysSo) {
  int asked = 0;
  const auto way_at = [&](Count) { return ++asked, std::string("a"); };
  const Flips none = find_flips({1, 2, 4}, true, Deadline::min(), way_at);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(none.list.empty());
  EXPECT_EQ(none.upto, 0);
  EXPECT_NE(none.note, "");
}

TEST(FindFlips, KnowsWhichProblemsHaveOtherBlocks) {
  EXPECT_EQ(with_block(Problem::alltoall(4, 8), 64, {}).block_bytes, 64);
  EXPECT_TRUE(has_other_blocks(Problem::alltoall(4, 8), {}));
  EXPECT_FALSE(has_other_blocks(Problem::barrier(4), {}));
  EXPECT_FALSE(has_other_blocks(Problem::gatherv(2, {8, 9}), {}));
  const AtBlock at_block = [](Bytes bytes) { return Problem::gatherv(2, {bytes, bytes + 1}); };
  EXPECT_TRUE(has_other_blocks(Problem::gatherv(2, {8, 9}), at_block));
  EXPECT_EQ(*with_block(Problem::gatherv(2, {8, 9}), 64, at_block).counts, (std::vector<Bytes>{64, 65}));
  EXPECT_EQ(powers_of_elements(8).back() * 8, most_block_bytes);
}

}  // namespace
}  // namespace quadrille

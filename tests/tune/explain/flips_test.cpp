// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/flips.hpp"

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
  const auto way_at = [](Count value) { return Taken{value < 3000 ? "few" : "many"}; };
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
  const auto way_at = [&](Count) { return ++asked, Taken{"a"}; };
  const Flips none = find_flips({1, 2, 4}, true, Deadline::min(), way_at);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(none.list.empty());
  EXPECT_EQ(none.upto, 0);
  EXPECT_NE(none.note, "");
}

// a and b are tied from 100 to 199, where either may be the best; then b is better.
TEST(FindFlips, JoinsChoicesThatAreTied) {
  const auto taken_at = [](Count value) -> Taken {
    if (value < 100) return {"a"};
    if (value >= 200) return {"b"};
    return value / 10 % 2 == 0 ? Taken{"a", {"b"}} : Taken{"b", {"c", "a"}};
  };
  std::vector<Count> values;
  for (Count value = 95; value < 220; value += 10) values.push_back(value), values.push_back(value + 5);
  const Flips flips = find_flips(values, false, never, taken_at);
  ASSERT_EQ(flips.list.size(), 3u);
  EXPECT_EQ(flips.list[0].way, "a");
  EXPECT_EQ(flips.list[0].tied, std::vector<std::string>{});
  EXPECT_EQ(flips.list[1].from, 110);
  EXPECT_EQ(flips.list[1].way, "b");
  EXPECT_EQ(flips.list[1].tied, std::vector<std::string>{"a"}) << "c is never the best";
  EXPECT_EQ(flips.list[2].way, "b");
  EXPECT_EQ(flips.list[2].from, 190);
  EXPECT_EQ(flips.list[2].tied, std::vector<std::string>{});
}

// One value at which the other way is not tied ends a tie.
TEST(FindFlips, KeepsChoicesApartThatAreNotTiedSomewhere) {
  for (const Count apart : {3, 4, 5, 6}) {
    const auto taken_at = [&](Count value) -> Taken {
      const std::string best = value <= 4 ? "a" : "b", other = value <= 4 ? "b" : "a";
      return value == apart ? Taken{best} : Taken{best, {other}};
    };
    EXPECT_EQ(find_flips({3, 4, 5, 6}, false, never, taken_at).list.size(), 2u) << apart;
  }
  const Flips tied = find_flips({3, 4, 5, 6}, false, never, [](Count value) -> Taken {
    return value <= 4 ? Taken{"a", {"b"}} : Taken{"b", {"a"}};
  });
  ASSERT_EQ(tied.list.size(), 1u);
  EXPECT_EQ(tied.list[0].tied, std::vector<std::string>{"b"});
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

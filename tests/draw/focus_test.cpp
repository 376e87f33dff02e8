// SPDX-License-Identifier: BSD-3-Clause
#include "draw/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

// Each rank sends to the one that is `distance` ranks further: distance * (ranks - distance) arrows cross.
MessagesByRound rotation(Count ranks, Count distance) {
  MessagesByRound messages;
  for (Rank rank = 0; rank < ranks; ++rank) messages[3].push_back({rank, (rank + distance) % ranks, {}, 8});
  return messages;
}

TEST(Focus, NeedsATangle) {
  EXPECT_FALSE(Focus(22, rotation(22, 11), {}, 0).rank()) << "121 crossings";
  EXPECT_EQ(Focus(23, rotation(23, 11), {}, 4).rank(), 4) << "132 crossings";
  EXPECT_FALSE(Focus(90, rotation(90, 1), {}, 0).rank()) << "89 crossings";
  EXPECT_FALSE(Focus(5, {}, {}, 0).rank());
  EXPECT_EQ(Focus(22, rotation(22, 11), {}, 0).of(3, 5), Emphasis::strong);
}

TEST(Focus, IsStrongAtOneRankAndFaintElsewhere) {
  const Focus focus(23, rotation(23, 11), {}, 4);
  EXPECT_EQ(focus.of(4, 15), Emphasis::strong);
  EXPECT_EQ(focus.of(16, 4), Emphasis::strong);
  for (Rank rank = 5; rank < 23; ++rank) EXPECT_EQ(focus.of(rank, 0), Emphasis::faint);
  EXPECT_THAT(focus.explanation(), HasSubstr("strong: what rank 4 sends and receives; faint: all other messages"));
}

TEST(Focus, TakesASampleFrom24RanksOn) {
  const Focus focus(24, rotation(24, 12), {}, 1);
  Count faint = 0;
  for (Rank rank = 2; rank < 24; ++rank) faint += focus.of(rank, 0) == Emphasis::faint ? 1 : 0;
  EXPECT_EQ(faint, 7) << "3, 6, .. 21";
  EXPECT_EQ(focus.of(2, 1), Emphasis::strong);
  EXPECT_THAT(focus.explanation(), HasSubstr("ranks 0, 3, 6 and so on"));
}

TEST(Focus, OfLinksNeedsLinksBetweenMostOf24Ranks) {
  EXPECT_FALSE(Focus(Topology::ring(24), 3, 24).rank());
  EXPECT_FALSE(Focus(parse_topology("full:23"), 3, 23 * 22).rank());
  const Focus focus(parse_topology("full:24"), 3, 24 * 23);
  EXPECT_EQ(focus.rank(), 3);
  EXPECT_EQ(focus.of(1, 3), Emphasis::strong);
  EXPECT_EQ(focus.of(6, 1), Emphasis::faint);
  EXPECT_EQ(focus.of(1, 6), Emphasis::absent);
  EXPECT_EQ(focus.explanation(),
            "strong: the used links of rank 3; faint: a sample of the others, those that leave ranks 0, 3, 6 and so on");
  EXPECT_EQ(focus.of_link({.from = 3, .to = 1}, true), Emphasis::strong);
  EXPECT_EQ(focus.of_link({.from = 3, .to = 1}, false), Emphasis::faint);
}

TEST(Focus, OfLinksIsOnThoseThatCarryMessagesIfTheyAreFew) {
  const Focus focus(parse_topology("full:24"), 0, 24);
  EXPECT_EQ(focus.of_link({.from = 7, .to = 8}, true), Emphasis::strong);
  EXPECT_EQ(focus.of_link({.from = 0, .to = 8}, false), Emphasis::faint);
  EXPECT_EQ(focus.of_link({.from = 7, .to = 9}, false), Emphasis::absent);
  EXPECT_THAT(focus.explanation(), HasSubstr("strong: the links that carry messages"));
}

TEST(Focus, OnOneRankAlone) {
  const Focus focus(4, rotation(4, 1), 2, 0);
  EXPECT_EQ(focus.of(2, 3), Emphasis::strong);
  EXPECT_EQ(focus.of(1, 2), Emphasis::strong);
  EXPECT_EQ(focus.of(0, 1), Emphasis::absent);
  EXPECT_EQ(focus.explanation(), "only what rank 2 sends and receives");
  EXPECT_EQ(sentence_of([] { Focus(4, {}, 4, 0); }), "there is no rank 4; the ranks are 0 to 3");
}

}  // namespace
}  // namespace quadrille

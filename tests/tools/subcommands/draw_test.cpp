// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille draw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::Contains;
using ::testing::IsSupersetOf;

class DrawTest : public CommandTest {
 protected:
  static Words draw(const Words& more) {
    Words words{"draw", "alltoall", "--algorithm", "shift", "--topology", "ring:4"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(DrawTest, NamesThePattern) {
  const Read picture(
      prints({"draw", "alltoallv", "--algorithm", "direct", "--ranks", "4", "--pattern", "power-law", "--as", "traffic"}));
  EXPECT_EQ(picture.texts().front(), "alltoallv/direct, 4 ranks, pattern power-law");
}

TEST_F(DrawTest, NamesTheNetwork) {
  for (const char* picture : {"space-time", "blocks", "traffic", "links"})
    EXPECT_EQ(Read(prints(draw({"--as", picture}))).all("alltoall/shift, 4 ranks, 8 B a block, on ring:4").size(), 1u) << picture;
}

TEST_F(DrawTest, DrawsAPanelForEachRound) {
  const Read picture(prints(draw({"--as", "links", "--round", "each"})));
  EXPECT_THAT(picture.texts(), IsSupersetOf({"round 0: exchange", "round 2: exchange"}));
  refuses(draw({"--as", "traffic", "--round", "each"}), "--round each goes with links");
  refuses(draw({"--round", "each"}), "--round each goes with links");
  refuses(draw({"--as", "links", "--round", "every"}), "the round");
}

TEST_F(DrawTest, DrawsOneRank) {
  EXPECT_THAT(Read(prints(draw({"--only-rank", "3"}))).texts(), Contains("only what rank 3 sends and receives"));
  refuses(draw({"--only-rank", "4"}), "there is no rank 4; the ranks are 0 to 3");
  refuses(draw({"--only-rank", "-1"}), "the rank");
  refuses(draw({"--as", "blocks", "--only-rank", "3"}), "--as blocks shows all ranks; --only-rank goes with space-time");
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "draw/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;

HeatScale scale_of(const std::vector<Bytes>& amounts) { return {amounts, {}}; }

TEST(HeatScale, IsCalmForEvenAmounts) {
  for (const Bytes amount : {1, 8, 1 << 20}) EXPECT_NEAR(scale_of({amount, amount, amount}).share(amount), 0.25, 1e-9);
  EXPECT_NEAR(scale_of({8, 0, 8}).share(8), 0.25, 1e-9) << "links without a load do not count";
}

TEST(HeatScale, IsHotOnlyForAmountsFarAboveTheMean) {
  EXPECT_NEAR(scale_of({10, 10, 10, 90}).share(90), 1, 1e-9);
  EXPECT_NEAR(scale_of({10, 10, 10, 90}).share(30), 0.25, 1e-9);
  EXPECT_NEAR(scale_of({10, 14}).share(14), 0.625, 1e-9) << "a sixth above the mean";
  EXPECT_NEAR(scale_of({10, 20}).share(20), 1, 1e-9) << "a third above";
  EXPECT_EQ(scale_of({10, 12}).share(0), 0);
  EXPECT_EQ(scale_of({}).share(0), 0);
}

TEST(HeatScale, GrowsWithTheAmount) {
  const HeatScale scale = scale_of({1, 5, 100});
  double before = -1;
  for (Bytes amount = 0; amount <= 100; ++amount) {
    EXPECT_GT(scale.share(amount), before);
    before = scale.share(amount);
  }
}

// The pages of `quadrille view` have the same colours and the same scale: the same numbers are in viewer/tests/look.test.ts.
TEST(HeatScale, IsThatOfThePages) {
  EXPECT_EQ(heat(0), "#9ecae6");
  EXPECT_EQ(heat(0.25), "#4a94ce");
  EXPECT_EQ(heat(0.6), "#ecb23e");
  EXPECT_EQ(heat(1), "#e0463c");
  const HeatScale uneven = scale_of({2, 4, 6, 28, 0});
  EXPECT_EQ(uneven.share(10), 0.25);
  EXPECT_EQ(uneven.share(19), 0.625);
  EXPECT_EQ(uneven.share(28), 1);
  EXPECT_DOUBLE_EQ(scale_of({9, 11}).share(11), 0.25 + 0.75 * 0.3);
}

TEST(HeatScale, SaysWhatItsColoursMean) {
  const auto texts = [](const std::vector<Bytes>& amounts) {
    Svg svg("title");
    scale_of(amounts).draw(svg, {0, 20}, "over a link");
    return Read(svg.written(900, 60)).texts();
  };
  EXPECT_THAT(texts({8, 8}), ElementsAre("0", "8 B over a link (the line)"));
  EXPECT_THAT(texts({8, 16, 24}),
              ElementsAre("0", "at most 24 B over a link; 16 B on average (the line)", "linear below and above the line"));
}

}  // namespace
}  // namespace quadrille

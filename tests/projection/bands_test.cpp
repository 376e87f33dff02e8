// SPDX-License-Identifier: BSD-3-Clause
// Bands of drawn figures, residuals and gaps.
#include "projection/bands.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace quadrille::projection {
namespace {

constexpr auto computing = static_cast<std::size_t>(ProjectedPart::computing);
constexpr auto collectives = static_cast<std::size_t>(ProjectedPart::collectives);

// A run of 1 s of computing and one row: 0.2 s by the vendor, 0.1 s by us.
class BandsOfARow : public ::testing::Test {
 protected:
  BandsOfARow() {
    row_.row.vendor.algorithm = "linear";
    row_.seconds = {0.2, 0.1};
  }
  Bands bands(double gap_deviation_s = 0) {
    PartTimes vendor{}, ours{};
    vendor[computing] = ours[computing] = 1;
    vendor[collectives] = row_.seconds[0], ours[collectives] = row_.seconds[1];
    return bands_of({options_, row_.halved[0].size(), {row_}, {vendor, ours}, gap_deviation_s});
  }

  ProjectionOptions options_;
  RowSums row_;
};

TEST_F(BandsOfARow, SurroundsTheValue) {
  const Bands found = bands();
  for (const auto& band : {found.runs[0].total, found.runs[1].total, found.runs[0].part(ProjectedPart::collectives), found.gain}) {
    EXPECT_LT(band.low, band.value);
    EXPECT_GT(band.high, band.value);
  }
  EXPECT_EQ(found.runs[0].part(ProjectedPart::computing).low, 1);
  EXPECT_NEAR(found.runs[0].total.value, 1.2, 1e-12);
  EXPECT_NEAR(found.gain.value, 0.1 / 1.2, 1e-12);
  // 80 % of a normal distribution are within 1.28 standard deviations.
  EXPECT_NEAR(found.runs[0].part(ProjectedPart::collectives).high, 0.2 * std::exp(1.28 * usual_residual), 0.01);
}

TEST_F(BandsOfARow, GrowsWithResiduals) {
  const auto width = [&] {
    const Band band = bands().runs[0].part(ProjectedPart::collectives);
    return std::log(band.high / band.low);
  };
  const double usual = width();
  row_.errors[0].spread = 2 * usual_residual;
  EXPECT_NEAR(width(), 2 * usual, 1e-9);
  row_.errors[0].spread = usual_residual / 2;
  EXPECT_NEAR(width(), usual / 2, 1e-9);
  row_.errors[0].spread = 0;
  EXPECT_NEAR(width(), 0, 1e-12);
}

// The value is not corrected. The band covers both: no bias, and all of it.
TEST_F(BandsOfARow, SurroundsBiases) {
  options_.machine.residuals = {{.ratio = 2}};
  row_.errors = {PriceError{std::log(2), 0}, PriceError{0, 0}};
  const Bands found = bands();
  const Band& vendor = found.runs[0].part(ProjectedPart::collectives);
  EXPECT_EQ(vendor.value, 0.2);
  EXPECT_LT(vendor.low, 0.2);
  EXPECT_GT(vendor.low, 0.17);
  EXPECT_GT(vendor.high, 0.4);
  EXPECT_LT(vendor.high, 0.5);
  const Band& ours = found.runs[1].part(ProjectedPart::collectives);
  EXPECT_EQ(ours.low, 0.1);
  EXPECT_EQ(ours.high, 0.1);
}

// Both sides share their biases to the same extent.
TEST_F(BandsOfARow, BiasesAreCarriedOverTogether) {
  options_.machine.residuals = {{.ratio = 2}};
  row_.is_same = true;
  row_.seconds = {0.2, 0.2};
  row_.errors = {PriceError{std::log(2), 0.3}, PriceError{std::log(2), 0.3}};
  const Bands both = bands();
  EXPECT_EQ(both.gain.low, 0);
  EXPECT_EQ(both.gain.high, 0) << "the same algorithm with the same bias";
  row_.errors[1].bias = 0;
  EXPECT_GT(bands().gain.high, 0.05) << "the same algorithm, which the vendor runs more slowly";
}

TEST_F(BandsOfARow, OfTheSameAlgorithmHasNoGain) {
  row_.seconds = {0.2, 0.2};
  row_.is_same = true;
  const Bands found = bands();
  EXPECT_EQ(found.gain.low, 0);
  EXPECT_EQ(found.gain.high, 0);
  EXPECT_EQ(found.gains.at(0).high, 0);
  EXPECT_GT(found.runs[0].total.high, found.runs[0].total.low);
}

TEST_F(BandsOfARow, GrowsWithAssumedFigures) {
  const double before = bands().runs[0].total.high;
  row_.halved = {std::vector<double>{0.1}, std::vector<double>{0.1}};
  row_.doubled = {std::vector<double>{0.4}, std::vector<double>{0.1}};
  EXPECT_GT(bands().runs[0].total.high, before + 0.05);
}

TEST_F(BandsOfARow, GrowsWithGaps) {
  EXPECT_EQ(bands().runs[0].part(ProjectedPart::computing).high, 1);
  const Band varied = bands(0.1).runs[0].part(ProjectedPart::computing);
  EXPECT_NEAR(varied.high, 1.128, 0.03);
  EXPECT_NEAR(varied.low, 0.872, 0.03);
}

TEST_F(BandsOfARow, FollowsFromTheSeed) {
  const double one = bands().gain.high;
  EXPECT_EQ(bands().gain.high, one);
  options_.seed = 2;
  EXPECT_NE(bands().gain.high, one);
  options_.draws = 0;
  EXPECT_EQ(bands().gain.high, bands().gain.value);
}

}  // namespace
}  // namespace quadrille::projection

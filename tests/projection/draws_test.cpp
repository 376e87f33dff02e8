// SPDX-License-Identifier: BSD-3-Clause
// Draws, and bands from many replays: of simulated machines whose variability is known, a band must cover what it says.
#include "projection/draws.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "projection/rows.hpp"
#include "projection/verdict.hpp"
#include "support/made_recording.hpp"

namespace quadrille::projection {
namespace {

using testing::MadeRecording;

constexpr auto inside = static_cast<std::size_t>(ProjectedPart::collectives);
constexpr auto computing = static_cast<std::size_t>(ProjectedPart::computing);
constexpr auto waiting = static_cast<std::size_t>(ProjectedPart::waiting);
constexpr double spread = 0.3;

SidePrice price_of_kind(std::uint64_t kind, double of_spread, double noise = 0) {
  return {.algorithm = "", .choice = {}, .price = {.seconds = 1}, .error = {0, of_spread, noise}, .kind = kind};
}

double deviation(const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(Draws, AreEqualForEqualCausesAndVaryAsStated) {
  std::vector<double> same, other, of_calls;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Draw draw(seed, 0);
    const double factor = draw.factor(price_of_kind(1, spread));
    EXPECT_EQ(factor, Draw(seed, 0).factor(price_of_kind(1, spread)));
    same.push_back(std::log(factor));
    other.push_back(std::log(factor / draw.factor(price_of_kind(2, spread))));
    of_calls.push_back(draw.factor(price_of_kind(1, spread, 0.5), seed) / factor);
  }
  EXPECT_NEAR(deviation(same), std::hypot(common_spread, spread), 0.02);
  EXPECT_NEAR(deviation(other), std::sqrt(2) * spread, 0.02) << "what is common to a run cancels";
  EXPECT_NEAR(std::accumulate(of_calls.begin(), of_calls.end(), 0.0) / 4000, 1, 0.03) << "noise does not make calls longer";
  EXPECT_NEAR(deviation(of_calls), std::sqrt(std::exp(0.25) - 1), 0.06);
}

TEST(Draws, HalveOrDoubleAssumedFiguresAtMost) {
  SidePrice price = price_of_kind(1, 0);
  price.price.halved = {0.75}, price.price.doubled = {1.5};
  double least = 1, most = 1;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const double figure = Draw(seed, 1).factor(price) / Draw(seed, 0).factor(price_of_kind(1, 0));
    least = std::min(least, figure), most = std::max(most, figure);
    EXPECT_EQ(Draw(seed, 1, true).factor(price), Draw(seed, 0).factor(price_of_kind(1, 0))) << "a calibrated machine assumes none";
  }
  EXPECT_NEAR(least, 0.75, 0.01);
  EXPECT_NEAR(most, 1.5, 0.02);
  EXPECT_GT(least, 0.7499);
  EXPECT_LT(most, 1.5001);
}

// Four ranks on two nodes exchange 64 B and 4 KiB, on a machine with residuals by both sides.
class DrawnBandsTest : public ::testing::Test {
 protected:
  DrawnBandsTest() {
    options_.machine = find_machine("hdr");
    options_.machine.assumed.clear();
    options_.nodes = {0, 0, 1, 1};
    options_.machine.residual_node_sizes = {2, 2};
    set_spread(spread);
  }
  void set_spread(double of_both, double noise = 0) {
    options_.machine.residuals = {{Collective::alltoall, Implementation::vendor, 64, 1, of_both, noise},
                                  {Collective::alltoall, Implementation::ours, 64, 1, of_both, noise}};
  }
  void call(int times, double gap_us, double differing_us = 0) {
    for (const Bytes bytes : {64, 4096}) {
      const auto site = program_.site({.function = "Alltoall", .block_bytes = bytes});
      for (int i = 0; i < times; ++i)
        for (Rank rank = 0; rank < 4; ++rank)
          program_.add(rank, site, {.gap_us = gap_us + (i % 4 == rank ? differing_us : 0), .duration_us = 5});
    }
  }
  // The bands of both sides' replays with algorithms that differ.
  DrawnBands bands(const DrawnReplays& how = {}) {
    options_.vendor = "mpich", options_.chosen = {{Collective::alltoall, "shift"}};
    const Recording recording = program_.made();
    CallPrices prices(recording, options_);
    const Replayed replayed = replay(recording, options_, prices);
    rows_ = rows_of(recording, prices, replayed);
    return drawn_bands(recording, options_, prices, replayed, rows_, how);
  }

  // The shares of 1,000 simulated runs whose vendor's time in collectives, and whose gain, are in the bands. Each row and side is
  // off by a factor of its own, and all together by another one.
  std::array<double, 2> covered(const DrawnBands& bands, double common, double own) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::array<double, 2> share{};
    constexpr int runs = 1000;
    for (int run = 0; run < runs; ++run) {
      const double all = common * normal(random);
      BySide<double> inside_s{}, total_s{};
      for (std::size_t side = 0; side < sides; ++side) {
        for (const ProjectedRow& row : rows_)
          inside_s[side] += (side == 0 ? row.vendor : row.ours).seconds * std::exp(all + own * normal(random));
        total_s[side] = bands.runs[side].total.value - bands.runs[side].parts[inside].value + inside_s[side];
      }
      const auto is_in = [](const Band& band, double value) { return band.low <= value && value <= band.high ? 1.0 / runs : 0; };
      share[0] += is_in(bands.runs[0].parts[inside], inside_s[0]);
      share[1] += is_in(bands.gain, 1 - total_s[1] / total_s[0]);
    }
    return share;
  }

  MadeRecording program_{4};
  ProjectionOptions options_;
  std::vector<ProjectedRow> rows_;
};

// The draws are 200, so the coverage of a right band varies by some percent.
TEST_F(DrawnBandsTest, CoverWhatTheySay) {
  call(20, 10);
  options_.draws = 400;
  for (const double share : covered(bands(), common_spread, spread)) EXPECT_NEAR(share, 0.8, 0.06);
}

TEST_F(DrawnBandsTest, DoNotCoverIfTheyAreTooNarrow) {
  call(20, 10);
  const DrawnBands narrow = bands();
  for (const double share : covered(narrow, 2 * common_spread, 2 * spread)) EXPECT_LT(share, 0.6);
  set_spread(spread / 2);
  EXPECT_LT(covered(bands(), common_spread, spread)[1], 0.65) << "the spread of the machine's file is too small";
}

TEST_F(DrawnBandsTest, OfTheGainDoNotGrowWithWhatBothSidesShare) {
  call(20, 0);
  set_spread(0);
  const DrawnBands found = bands();
  EXPECT_NEAR(std::log(found.runs[0].total.high / found.runs[0].total.low), 2 * 1.28 * common_spread, 0.12);
  EXPECT_LT(found.gain.high - found.gain.low, 0.02);
}

TEST_F(DrawnBandsTest, AreNarrowerAsIfCalibrated) {
  call(20, 10);
  const auto width = [](const Band& band) { return band.high - band.low; };
  const double plain = width(bands().gain);
  EXPECT_NEAR(width(bands({.as_if_calibrated = true}).gain), plain * calibrated_spread / spread, 0.25 * plain);
}

// Each rank in turn is late. Gaps change places, so at some calls several ranks are late together, and others wait less in sum. The
// sums of the gaps stay.
TEST_F(DrawnBandsTest, VaryWhichRanksAreLate) {
  call(20, 50, 30);
  const DrawnBands found = bands();
  EXPECT_LT(found.runs[0].parts[waiting].low, 0.85 * found.runs[0].parts[waiting].value);
  const Band& gaps = found.runs[0].parts[computing];
  EXPECT_GT(gaps.low, 0.97 * gaps.value);
  EXPECT_LT(gaps.high, 1.03 * gaps.value);
}

TEST_F(DrawnBandsTest, KeepGapsThatBelongToTheirSteps) {
  const auto site = program_.site({.function = "Alltoall", .block_bytes = 64});
  for (int i = 0; i < 20; ++i)
    for (Rank rank = 0; rank < 4; ++rank) program_.add(rank, site, {.gap_us = i % 2 == rank % 2 ? 10.0 : 100.0});
  const Band gaps = bands().runs[0].parts[computing];
  EXPECT_EQ(gaps.low, gaps.value);
  EXPECT_EQ(gaps.high, gaps.value);
}

// A folded recording has equal gaps; what it keeps of their deviations makes ranks late.
TEST_F(DrawnBandsTest, VaryTheMeansOfFoldedRecordings) {
  call(20, 50);
  options_.chosen = {{Collective::alltoall, "shift"}};
  Recording recording = program_.made();
  recording.is_folded = true;
  const auto high = [&] { return project(recording, options_).vendor.part(ProjectedPart::waiting).high; };
  EXPECT_LT(high(), 1e-9);
  for (RecordedRank& rank : recording.ranks)
    for (RecordedTimes& times : rank.times) times.gap_deviation_s = 20e-6;
  EXPECT_GT(high(), 40 * 10e-6);
}

TEST_F(DrawnBandsTest, OfTheFirstPartStandForTheWhole) {
  call(200, 10);
  const DrawnBands whole = bands(), part = bands({.most_entries = 100 * 4 * options_.draws});
  EXPECT_EQ(part.runs[0].total.value, whole.runs[0].total.value);
  EXPECT_NEAR(part.runs[0].total.high, whole.runs[0].total.high, 0.1 * whole.runs[0].total.value);
  EXPECT_NEAR(part.runs[0].total.low, whole.runs[0].total.low, 0.1 * whole.runs[0].total.value);
  EXPECT_NE(part.runs[0].total.low, whole.runs[0].total.low);
}

TEST_F(DrawnBandsTest, FollowFromTheSeed) {
  call(20, 10);
  const double one = bands().gain.high;
  EXPECT_EQ(bands().gain.high, one);
  options_.seed = 2;
  EXPECT_NE(bands().gain.high, one);
  options_.draws = 0;
  const DrawnBands none = bands();
  EXPECT_EQ(none.gain.high, none.gain.value);
  EXPECT_EQ(none.shorter, none.gain.value > 0 ? 1 : 0);
}

}  // namespace
}  // namespace quadrille::projection

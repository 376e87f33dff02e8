// SPDX-License-Identifier: BSD-3-Clause
// Whole projections: what they say of made programs, and what is refused.
#include "quadrille/projection.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "quadrille/error.hpp"
#include "quadrille/vendor_choice.hpp"
#include "support/made_recording.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::MadeRecording;

// 16 ranks that exchange and reduce on two nodes.
class Projections : public ::testing::Test {
 protected:
  Projections() {
    for (Rank rank = 0; rank < 16; ++rank) options_.nodes.push_back(rank / 8);
    options_.machine = find_machine("hdr");
  }

  void call(const RecordedSite& like, int times, double gap_us) {
    const auto site = program_.site(like);
    for (int i = 0; i < times; ++i)
      for (Rank rank = 0; rank < 16; ++rank)
        program_.add(rank, site, {.gap_us = gap_us * ((i + rank) % 2 == 0 ? 0.9 : 1.1), .duration_us = 50});
  }
  Projection projected() const { return project(program_.made(), options_); }
  std::string refused() const {
    return testing::sentence_of([&] { projected(); });
  }

  MadeRecording program_{16};
  ProjectionOptions options_;
  const RecordedSite exchange_{.function = "Alltoall", .block_bytes = 64};
  const RecordedSite reduction_{.function = "Allreduce", .type_bytes = 8, .block_bytes = 8};
};

TEST_F(Projections, ComparesBothSides) {
  call(exchange_, 40, 5);
  call(reduction_, 20, 5);
  const Projection found = projected();
  EXPECT_EQ(found.vendor_title, "Open MPI 4.1");
  EXPECT_EQ(found.calls, 60);
  ASSERT_EQ(found.rows.size(), 2u);
  const ProjectedRow& first = found.rows[0];
  EXPECT_EQ(first.function, "Alltoall");
  EXPECT_EQ(first.calls, 40);
  EXPECT_EQ(first.ranks, 16);
  EXPECT_EQ(first.nodes, 2);
  EXPECT_EQ(first.vendor.algorithm, *vendor_algorithm("openmpi", Problem::alltoall(16, 64)));
  EXPECT_LE(first.ours.seconds, first.vendor.seconds);
  for (const ProjectedRun* run : {&found.vendor, &found.ours}) {
    double parts = 0, rows = 0;
    for (const Band& part : run->parts) parts += part.value;
    for (const ProjectedRow& row : found.rows) rows += run == &found.vendor ? row.vendor.seconds : row.ours.seconds;
    EXPECT_NEAR(parts, run->total.value, 1e-12);
    EXPECT_NEAR(rows, run->part(ProjectedPart::collectives).value, 1e-12);
  }
  EXPECT_NEAR(found.gain.value, 1 - found.ours.total.value / found.vendor.total.value, 1e-12);
}

TEST_F(Projections, NeedFiguresOfOneModelOnly) {
  call(exchange_, 4, 5);
  const Projection all = projected();
  std::erase_if(options_.machine.models, [](const auto& entry) { return entry.first != "max-rate"; });
  EXPECT_NEAR(projected().vendor.total.value, all.vendor.total.value, 0.05 * all.vendor.total.value);
}

TEST_F(Projections, FollowTheOptions) {
  call(exchange_, 40, 100);
  const Projection plain = projected();
  options_.computing = 0.5;
  EXPECT_NEAR(projected().vendor.part(ProjectedPart::computing).value, plain.vendor.part(ProjectedPart::computing).value / 2, 1e-9);
  options_.chosen[Collective::alltoall] = "shift";
  EXPECT_EQ(projected().rows[0].ours.algorithm, "shift");
  options_.chosen[Collective::alltoall] = "hypercube";  // for powers of two
  EXPECT_EQ(projected().rows[0].ours.algorithm, "hypercube");
  options_.vendor = "openmpi5";
  EXPECT_FALSE(projected().is_vendor_checked);
  options_.without_late_ranks = true;
  EXPECT_NEAR(projected().vendor.part(ProjectedPart::waiting).value, 0, 1e-9);
}

TEST_F(Projections, TakeResidualsOfTheMachine) {
  call(exchange_, 40, 0);
  const Projection without = projected();
  EXPECT_THAT(without.remarks, Contains("the machine hdr has no residuals, so the bands assume that each price is off by 20 %"));
  const auto width = [](const Band& band) { return band.high - band.low; };
  for (const double spread : {0.01, 1.0}) {
    options_.machine.residuals = {
        {.collective = Collective::alltoall, .by = Implementation::vendor, .block_bytes = 64, .spread = spread},
        {.collective = Collective::alltoall, .block_bytes = 64, .spread = spread},
    };
    const Projection found = projected();
    EXPECT_THAT(found.remarks, Contains("half of each of the machine's residuals is taken, because its file does not say on "
                                        "which node sizes they were measured"));
    EXPECT_EQ(found.corrected_calls, 0);
    EXPECT_EQ(found.vendor.total.value, without.vendor.total.value);
    EXPECT_EQ(width(found.vendor.total) < width(without.vendor.total), spread < 0.2);
    EXPECT_EQ(width(found.ours.total) < width(without.ours.total), spread < 0.2);
  }
  // The vendor's residual is that of its side.
  options_.machine.residuals = {{.collective = Collective::alltoall, .by = Implementation::vendor, .block_bytes = 64, .ratio = 4},
                                {.collective = Collective::alltoall, .block_bytes = 64}};
  const Projection slower = projected();
  EXPECT_NEAR(slower.rows[0].vendor.seconds, 2 * without.rows[0].vendor.seconds, 1e-9) << "half of the logarithm is carried over";
  EXPECT_GT(slower.vendor.total.high, 4 * without.vendor.total.value) << "all of it may hold here";
}

// The machine has residuals of alltoall and allreduce, by the library and by ours. They were measured on two nodes of eight ranks.
class CorrectedProjections : public Projections {
 protected:
  CorrectedProjections() {
    options_.machine.residual_node_sizes = {8, 8};
    for (const Collective collective : {Collective::alltoall, Collective::allreduce}) {
      options_.machine.residuals.push_back({collective, Implementation::vendor, 64, 2, 0.1});
      options_.machine.residuals.push_back({collective, Implementation::ours, 64, 3, 0.1});
    }
  }
  Projection uncorrected() {
    options_.without_correction = true;
    Projection found = projected();
    options_.without_correction = false;
    return found;
  }
  static double inside(const ProjectedRun& run) { return run.part(ProjectedPart::collectives).value; }
  // Prices without the residuals times these factors, in the vendor's calls and in all of ours.
  void expect_factors(std::string_view remark, double vendor, double ours) {
    const Projection found = projected(), as_priced = uncorrected();
    EXPECT_EQ(found.corrected_calls, 0);
    EXPECT_THAT(found.remarks, Contains(HasSubstr(std::string(remark))));
    EXPECT_NEAR(inside(found.vendor), vendor * inside(as_priced.vendor), 1e-9 * inside(found.vendor));
    EXPECT_NEAR(inside(found.ours), ours * inside(as_priced.ours), 1e-9 * inside(found.ours));
  }
};

TEST_F(CorrectedProjections, MultiplyPricesByTheResiduals) {
  options_.without_late_ranks = true;  // so that a call takes its price
  call(exchange_, 3, 5);               // the library's on both sides
  const Projection early = projected(), early_priced = uncorrected();
  EXPECT_NEAR(inside(early.ours), 2 * inside(early_priced.ours), 1e-12);
  EXPECT_EQ(inside(early.ours), inside(early.vendor));
  call(exchange_, 37, 5);
  const Projection found = projected(), as_priced = uncorrected();
  EXPECT_EQ(found.corrected_calls, 40);
  EXPECT_EQ(found.rows[0].corrected_calls, 40);
  EXPECT_EQ(as_priced.corrected_calls, 0);
  EXPECT_NEAR(inside(found.vendor), 2 * inside(as_priced.vendor), 1e-12);
  const double later = inside(found.ours) - inside(early.ours), later_priced = inside(as_priced.ours) - inside(early_priced.ours);
  EXPECT_NEAR(later, 3 * later_priced, 1e-12);
  EXPECT_THAT(found.remarks,
              Contains("the prices of 40 of 40 calls are corrected by the machine's residuals, which were measured on "
                       "the same node sizes (2x8)"));
  EXPECT_THAT(as_priced.remarks, Contains("no price is corrected by the machine's residuals, as asked"));
}

TEST_F(CorrectedProjections, HaveBandsAsWideAsTheSpread) {
  call(exchange_, 40, 0);
  options_.machine.assumed.clear();
  for (const double spread : {0.0, 0.5}) {
    for (Residual& each : options_.machine.residuals) each.spread = spread;
    const Band band = projected().vendor.part(ProjectedPart::collectives);
    EXPECT_NEAR(std::log(band.high / band.low), 2 * 1.28 * std::hypot(0.25, spread), 0.2) << spread;
  }
}

// Choices are those of the prices, although ours is really slower here.
TEST_F(CorrectedProjections, ChooseAsBefore) {
  for (Residual& each : options_.machine.residuals) each.ratio = each.by == Implementation::ours ? 100 : 1;
  call(exchange_, 40, 5);
  const Projection found = projected(), as_priced = uncorrected();
  EXPECT_EQ(found.rows[0].ours.algorithm, as_priced.rows[0].ours.algorithm);
  EXPECT_EQ(found.verdict, ProjectionVerdict::keep_it);
  EXPECT_LT(found.gain.value, 0);
  EXPECT_GT(as_priced.gain.value, 0);
}

TEST_F(CorrectedProjections, TakeHalfOfTheResidualsInOtherPlaces) {
  options_.without_late_ranks = true;  // so that a call takes its price
  options_.chosen[Collective::alltoall] = "shift";
  call(exchange_, 40, 0);
  const auto expect_half = [&](std::string_view remark) { expect_factors(remark, std::sqrt(2), std::sqrt(3)); };
  std::swap(options_.nodes[7], options_.nodes[8]);
  expect_half("no call is blocking, on the node sizes 2x8");
  std::swap(options_.nodes[7], options_.nodes[8]);
  options_.nodes[7] = 1;
  expect_half("node sizes 2x8");
  options_.nodes.clear();
  expect_half("node sizes 2x8");
}

TEST_F(CorrectedProjections, LeaveCallsWithoutResidualsAsTheyAre) {
  RecordedSite start = reduction_;
  start.kind = RecordedKind::start, start.function = "Iallreduce";
  call(start, 10, 10);
  call({.function = "Neighbor_alltoall", .block_bytes = 8, .peers = {3}}, 10, 10);
  call({.function = "Bcast", .root = 0, .block_bytes = 64}, 10, 10);
  expect_factors("measured by both sides", 1, 1);
  std::erase_if(options_.machine.residuals, [](const Residual& each) { return each.by == Implementation::vendor; });
  call(exchange_, 10, 5);
  expect_factors("because they are not of both sides, which are compared", 1, 1);
}

// A half of the ranks is on one node, so its exchange is none of those that were measured, and takes half of the residual.
TEST_F(CorrectedProjections, CorrectSomeCommunicatorsWholly) {
  options_.without_late_ranks = true;  // so that a call takes its price
  RecordedSite half = exchange_;
  half.communicator = program_.communicator({0, 1, 2, 3, 4, 5, 6, 7});
  const auto site = program_.site(half);
  for (int i = 0; i < 10; ++i)
    for (Rank rank = 0; rank < 8; ++rank) program_.add(rank, site, {.duration_us = 9});
  call(exchange_, 20, 0);
  call(reduction_, 5, 0);
  const Projection found = projected(), as_priced = uncorrected();
  EXPECT_EQ(found.corrected_calls, 25);
  for (const ProjectedRow& row : found.rows) {
    const auto same = std::find_if(as_priced.rows.begin(), as_priced.rows.end(), [&](const ProjectedRow& other) {
      return other.function == row.function && other.ranks == row.ranks;
    });
    EXPECT_EQ(row.corrected_calls, row.ranks == 16 ? row.calls : 0);
    EXPECT_NEAR(row.vendor.seconds, (row.ranks == 16 ? 2 : std::sqrt(2)) * same->vendor.seconds, 1e-12);
  }
}

// What ranks do when also follows the corrected prices.
TEST_F(CorrectedProjections, TellCorrectedPieces) {
  call(exchange_, 10, 0);
  double last_s = 0;
  options_.pieces.watch = [&](const ProjectedPiece& piece) {
    if (piece.side == Implementation::vendor) last_s = std::max(last_s, piece.end_s);
  };
  const double total = projected().vendor.total.value;
  EXPECT_NEAR(last_s, total, 1e-12);
  last_s = 0;
  EXPECT_NEAR(uncorrected().vendor.total.value, total / 2, 1e-9 * total);
  EXPECT_NEAR(last_s, total / 2, 1e-9 * total);
}

TEST_F(Projections, LeaveTheFirstThreeCallsOfAKindToTheVendor) {
  call(exchange_, 3, 5);
  const Projection rare = projected();
  EXPECT_EQ(rare.rows[0].ours.algorithm, rare.rows[0].vendor.algorithm);
  EXPECT_EQ(rare.rows[0].ours.seconds, rare.rows[0].vendor.seconds);
  call({.function = "Alltoall", .block_bytes = 1024}, 1, 5);  // a kind of its own
  EXPECT_EQ(projected().gain.value, 0);
  call(exchange_, 1, 5);
  EXPECT_GT(projected().gain.value, 0);
}

TEST_F(Projections, TakeANamedAlgorithmFromTheFirstCallOn) {
  call(exchange_, 1, 5);
  options_.chosen[Collective::alltoall] = "shift";
  EXPECT_EQ(projected().rows[0].ours.algorithm, "shift");
}

TEST_F(Projections, KeepOursWhereTheNamedAlgorithmIsImpossible) {
  const auto three = program_.communicator({0, 1, 2});
  RecordedSite small = exchange_;
  small.communicator = three;
  const auto site = program_.site(small);
  for (Rank rank = 0; rank < 3; ++rank) program_.add(rank, site);
  options_.chosen[Collective::alltoall] = "hypercube";
  const Projection found = projected();
  EXPECT_NE(found.rows[0].ours.algorithm, "hypercube");
  EXPECT_THAT(found.remarks, Contains(HasSubstr("the algorithm named for alltoall is not everywhere possible")));
}

TEST_F(Projections, SayWhichNamedAlgorithmHasNoCalls) {
  call(exchange_, 5, 5);
  RecordedSite start = reduction_;
  start.kind = RecordedKind::start, start.function = "Iallreduce";
  call(start, 5, 5);
  options_.chosen = {{Collective::alltoall, "shift"}, {Collective::allreduce, "ring"}, {Collective::broadcast, "chain"}};
  const Projection found = projected();
  const auto remark = [](const std::string& collective) {
    return fmt::format("the algorithm named for {0} is not taken, because there is no blocking call of {0}", collective);
  };
  EXPECT_THAT(found.remarks,
              AllOf(Contains(remark("broadcast")), Contains(remark("allreduce")), ::testing::Not(Contains(remark("alltoall")))));
}

TEST_F(Projections, GainNothingWhereTheVendorIsNotKnown) {
  options_.vendor = "openmpi5";
  options_.chosen[Collective::allreduce] = "ring";
  RecordedSite start = reduction_;
  start.kind = RecordedKind::start, start.function = "Iallreduce";
  call(start, 10, 10);
  start.kind = RecordedKind::completion;
  call({.function = "Neighbor_alltoall", .block_bytes = 8, .peers = {3}}, 10, 10);
  call({.function = "Bcast", .root = 0, .block_bytes = 64}, 10, 10);  // 5.0 splits it by nodes
  const Projection found = projected();
  ASSERT_EQ(found.rows.size(), 3u);
  for (const ProjectedRow& row : found.rows) {
    EXPECT_FALSE(row.remark.empty()) << row.function;
    EXPECT_FALSE(row.ours.algorithm.empty());
    EXPECT_EQ(row.ours.algorithm, row.vendor.algorithm);
    EXPECT_EQ(row.gain_s.value, 0);
    EXPECT_EQ(row.gain_s.low, 0);
  }
}

TEST_F(Projections, SayWhenMessagesPreventAVerdict) {
  call(exchange_, 4, 10);
  call({.kind = RecordedKind::point_to_point}, 4, 10);
  EXPECT_EQ(projected().verdict, ProjectionVerdict::not_known);
}

TEST_F(Projections, SayWhereARankIsMissedAndWhatIsUncertain) {
  const auto site = program_.site(exchange_);
  for (Rank rank = 0; rank < 16; ++rank) program_.add(rank, site, {.gap_us = 1, .away_us = 99});
  for (Rank rank = 0; rank < 15; ++rank) program_.add(rank, site, {.gap_us = 1});
  Recording recording = program_.made();
  recording.ranks[15].has_ended = false;
  const Projection found = project(recording, options_);
  EXPECT_EQ(found.calls, 1);
  EXPECT_THAT(found.remarks, Contains(HasSubstr("1 rank did not end normally")));
  EXPECT_THAT(found.remarks,
              Contains(HasSubstr("the replay stops where rank 0 and 14 others wait for a call that rank 15 has not recorded")));
  EXPECT_THAT(found.remarks, Contains(HasSubstr("away from a processor")));
}

TEST_F(Projections, RefuseWhatDoesNotFit) {
  call(exchange_, 1, 1);
  Recording recording = program_.made();
  recording.ranks.pop_back();
  EXPECT_THAT(testing::sentence_of([&] { project(recording, options_); }), HasSubstr("1 of 16 ranks are missing"));
  recording = program_.made();
  recording.communicators[0].members.pop_back();
  EXPECT_THAT(testing::sentence_of([&] { project(recording, options_); }),
              HasSubstr("rank 15 calls Alltoall on a communicator of which it is no member"));
  recording = program_.made();
  recording.mpi = "Other MPI 1";
  EXPECT_THAT(testing::sentence_of([&] { project(recording, options_); }), HasSubstr("'Other MPI 1' has no known rules"));
  options_.vendor = "other";
  EXPECT_THAT(refused(), HasSubstr("name openmpi, openmpi5 or mpich"));
  options_.vendor.clear();
  for (const double factor : {-1.0, std::nan(""), 1e300}) {
    options_.computing = factor;
    EXPECT_THAT(refused(), HasSubstr("the factor for computing is not a number from 0 to 1000000")) << factor;
  }
  options_.computing = 1;
  options_.chosen[Collective::alltoall] = "slow";
  EXPECT_THAT(refused(), HasSubstr("alltoall has no algorithm 'slow'"));
  options_.chosen.clear();
  options_.nodes.pop_back();
  EXPECT_THAT(refused(), HasSubstr("the nodes hold 15 ranks"));
}

TEST_F(Projections, TellProgress) {
  call(exchange_, 5000, 1);
  options_.draws = 1;
  double last = 0;
  int calls = 0;
  options_.progress = [&](double share) {
    EXPECT_GE(share, last);
    EXPECT_LE(share, 1);
    last = share;
    ++calls;
  };
  projected();
  EXPECT_GE(calls, 1);
}

}  // namespace
}  // namespace quadrille

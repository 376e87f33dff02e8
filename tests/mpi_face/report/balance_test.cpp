// SPDX-License-Identifier: BSD-3-Clause
// The first lines of a report: what was won and lost, and what to do next.
#include "mpi_face/report/balance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi_face/policy/cause.hpp"

namespace quadrille::mpi_face {
namespace {

using ::testing::HasSubstr;

// Four ranks, which ran 10 s each.
RunReport report_of(std::vector<ReportRow> rows) {
  RunReport report;
  report.program = "./app";
  report.world_size = 4;
  report.ranks.resize(4);
  for (Rank rank = 0; rank < 4; ++rank) report.ranks[static_cast<std::size_t>(rank)].rank = rank;
  report.seconds = 10;
  report.share = 0.5;
  report.communicators = {{.name = "MPI_COMM_WORLD", .ranks = 4}};
  report.rows = std::move(rows);
  return report;
}

// 1,000 calls of all ranks, which took 2 s. In trials ours took `ratio` times as long; 0: there were none.
ReportRow row_of(Count ours_calls, double ratio, Cause cause = Cause::rare) {
  ReportRow row{.collective = "Alltoall", .communicator = 0, .calls = 1000, .ours_calls = ours_calls};
  row.rank_calls = 4000;
  row.rank_seconds = 8;
  row.ours_rank_seconds = 8e-3 * static_cast<double>(ours_calls);
  row.share = 0.2;
  if (ours_calls < 1000) row.passed.push_back({std::string(sentence(cause)), 1000 - ours_calls});
  if (ratio > 0)
    row.ratio = MeasuredRatio{.median = ratio, .least = 0.9 * ratio, .most = 1.1 * ratio, .vendor_s = 1e-3, .samples = 5};
  return row;
}

TEST(Balance, ComparesTheTimeOfOurCallsWithWhatTrialsSay) {
  const Balance balance = balance_of(report_of({row_of(800, 0.5)}));
  EXPECT_DOUBLE_EQ(balance.saved.least, 800 * 2e-3 * (1 / 0.55 - 1));
  EXPECT_DOUBLE_EQ(balance.saved.most, 800 * 2e-3 * (1 / 0.45 - 1));
  EXPECT_EQ(balance.lost.most, 0);
  EXPECT_EQ(balance.tried_calls, 800);
  EXPECT_DOUBLE_EQ(balance.untried_s, 2 * 0.2) << "200 of 1,000 calls, which took 2 s on each rank";
}

TEST(Balance, TakesItThatLateRanksMayBeEquallyLateWithTheMpiLibrary) {
  ReportRow row = row_of(1000, 0.5);
  row.late_rank_seconds = 0.75 * row.rank_seconds;
  const Balance balance = balance_of(report_of({row}));
  EXPECT_DOUBLE_EQ(balance.late_s, 1.5);
  EXPECT_DOUBLE_EQ(balance.saved.least, 0.5 * (1 / 0.55 - 1));
  EXPECT_DOUBLE_EQ(balance.saved.most, 2 * (1 / 0.45 - 1));
}

TEST(Balance, CountsLossesApart) {
  const Balance balance = balance_of(report_of({row_of(1000, 2), row_of(1000, 0.5)}));
  EXPECT_DOUBLE_EQ(balance.lost.least, 2 * (1 - 1 / 1.8));
  EXPECT_DOUBLE_EQ(balance.lost.most, 2 * (1 - 1 / 2.2));
  EXPECT_DOUBLE_EQ(balance.saved.most, 2 * (1 / 0.45 - 1));
}

TEST(Balance, DoesNotCountWhatIsNotMeasurable) {
  const Balance balance = balance_of(report_of({row_of(1000, 1)}));
  EXPECT_EQ(balance.saved.most, 0);
  EXPECT_EQ(balance.lost.most, 0);
  EXPECT_EQ(balance.unclear_calls, 1000);
  EXPECT_THAT(balance_text(report_of({row_of(1000, 1)})),
              HasSubstr("Quadrille ran 1,000 calls; what it saved or lost is not measurable"));
  EXPECT_THAT(balance_text(report_of({row_of(1000, 1), row_of(500, 0.5)})),
              HasSubstr("(in 1,000 other calls it is not measurable)"));
}

TEST(Balance, CountsCallsThatAreNotCovered) {
  ReportRow row = row_of(0, 0);
  row.passed = {{"nonblocking", 750}, {std::string(sentence(Cause::slower)), 250}};
  const Balance balance = balance_of(report_of({row}));
  EXPECT_DOUBLE_EQ(balance.uncovered_s, 1.5);
  EXPECT_EQ(balance.ours_calls, 0);
}

std::string next(const RunReport& report) {
  const std::string text = balance_text(report);
  return text.substr(text.find("Next: "));
}

TEST(Balance, NamesOneCommand) {
  EXPECT_THAT(next(report_of({row_of(1000, 2)})), HasSubstr("quadrille wrap --off ./app"));
  EXPECT_THAT(next(report_of({row_of(0, 0)})), HasSubstr("quadrille wrap --tune=2% --report ./app"));
  EXPECT_THAT(next(report_of({row_of(1000, 0.5)})), HasSubstr("quadrille report --full"));
  RunReport idle = report_of({row_of(0, 0)});
  idle.share = 0.01;
  EXPECT_THAT(next(idle), HasSubstr("hardly any time in collectives"));
}

// Races do not help where the account allows no trial, and rules need none.
TEST(Balance, SaysThatATrialIsTooDear) {
  ReportRow row = row_of(0, 0, Cause::too_dear);
  row.trial_s = 0.35;
  EXPECT_THAT(next(report_of({row})),
              HasSubstr("--choose=RULES ./app (a rule needs no trial; one of Alltoall, 20 % of the run, would cost 350 ms)"));
}

TEST(Balance, KnowsThatAProgramSpendsItsTimeInMessages) {
  RunReport report = report_of({row_of(0, 0)});
  report.sees_messages = true;
  report.share = 0.01;
  report.message_share = 0.93;
  report.messages = {{"Sendrecv", 4000, 36.0}, {"Waitall", 400, 1.2}};
  EXPECT_DOUBLE_EQ(balance_of(report).messages_s, 9.3);
  EXPECT_THAT(balance_text(report),
              HasSubstr("Point-to-point calls took 9.30 s: 9.00 s in 4,000 Sendrecv, 300 ms in 400 Waitall."));
  EXPECT_THAT(next(report), HasSubstr("(90 % of the run is in MPI_Sendrecv"));
  EXPECT_THAT(next(report), HasSubstr("FFTW_MEASURE"));
  report.messages = {{"Recv", 4000, 37.2}};
  EXPECT_THAT(next(report), HasSubstr("wrap --record ./app (93 % of the run is in MPI_Recv"));
}

// Three ranks wait for the fourth.
TEST(Balance, NamesTheRankThatOthersWaitForFirst) {
  RunReport report = report_of({row_of(0, 0)});
  report.share = 0.001;
  for (ReportedRank& rank : report.ranks) {
    rank.state = RankState::running, rank.host = "here", rank.process = 100 + rank.rank;
    if (rank.rank != 2) rank.function = "Allreduce", rank.communicator = "MPI_COMM_WORLD", rank.inside_s = 8.39;
  }
  EXPECT_THAT(
      next(report),
      HasSubstr(
          "gdb -p 102 (rank 2 on here; 3 ranks are inside Allreduce on MPI_COMM_WORLD for up to 8.39 s, and this one is not)"));
  report.ranks[2].function = "Allreduce", report.ranks[2].communicator = "MPI_COMM_WORLD", report.ranks[2].inside_s = 1;
  EXPECT_THAT(next(report),
              HasSubstr("gdb -p 100 (rank 0 on here; 4 ranks are inside Allreduce on MPI_COMM_WORLD for up to 8.39 s)"));
  report.costliest = {{.rank = 1, .seconds = 9}};
  EXPECT_THAT(next(report), HasSubstr("hardly any time")) << "such calls come to an end here";
}

}  // namespace
}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
// The first lines of a report: what was won and lost.
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
  report.seconds = 10;
  report.share = 0.5;
  report.communicators = {{.name = "MPI_COMM_WORLD", .ranks = 4}, {.name = "row", .ranks = 2}};
  report.rows = std::move(rows);
  return report;
}

// 1,000 calls of all ranks, which took 2 s, or less on the communicator of two ranks.
ReportRow row_of(int communicator, Count ours_calls, double vendor_s, double ours_s) {
  ReportRow row{.collective = "Alltoall", .communicator = communicator, .calls = 1000, .ours_calls = ours_calls};
  row.rank_calls = communicator == 0 ? 4000 : 2000;
  row.rank_seconds = 8;
  if (ours_calls < 1000) row.passed.push_back({std::string(sentence(Cause::rare)), 1000 - ours_calls});
  if (vendor_s > 0) row.vendor = MeasuredTime{vendor_s, 0.9 * vendor_s, 1.1 * vendor_s, 5};
  if (ours_s > 0) row.ours = MeasuredTime{ours_s, 0.9 * ours_s, 1.1 * ours_s, 5};
  return row;
}

TEST(Balance, MultipliesTheDifferenceOfTrialsByTheCalls) {
  const Balance balance = balance_of(report_of({row_of(0, 800, 3e-3, 1e-3)}));
  EXPECT_DOUBLE_EQ(balance.saved.median, 800 * 2e-3);
  EXPECT_DOUBLE_EQ(balance.saved.least, 800 * (2.7e-3 - 1.1e-3));
  EXPECT_DOUBLE_EQ(balance.saved.most, 800 * (3.3e-3 - 0.9e-3));
  EXPECT_EQ(balance.lost.median, 0);
  EXPECT_EQ(balance.tried_calls, 800);
  EXPECT_DOUBLE_EQ(balance.rare_s, 2 * 0.2) << "200 of 1,000 calls, which took 2 s on each rank";
}

TEST(Balance, IsAMeanOverTheRanksOfTheWorld) {
  EXPECT_DOUBLE_EQ(balance_of(report_of({row_of(1, 1000, 3e-3, 1e-3)})).saved.median, 1000 * 2e-3 / 2);
}

TEST(Balance, CountsLossesApart) {
  const Balance balance = balance_of(report_of({row_of(0, 1000, 1e-3, 2e-3), row_of(0, 1000, 3e-3, 1e-3)}));
  EXPECT_DOUBLE_EQ(balance.lost.median, 1);
  EXPECT_LE(balance.lost.least, balance.lost.median);
  EXPECT_GE(balance.lost.most, balance.lost.median);
  EXPECT_DOUBLE_EQ(balance.saved.median, 2);
}

TEST(Balance, CountsCallsThatAreNotCoveredAndLateRanks) {
  ReportRow row = row_of(0, 0, 0, 0);
  row.passed = {{"nonblocking", 750}, {std::string(sentence(Cause::slower)), 250}};
  row.late = MeasuredTime{.median_s = 1e-4, .samples = 7};
  const Balance balance = balance_of(report_of({row}));
  EXPECT_DOUBLE_EQ(balance.uncovered_s, 1.5);
  EXPECT_DOUBLE_EQ(balance.late_s, 1000 * 1e-4);
  EXPECT_EQ(balance.ours_calls, 0);
}

TEST(Balance, NamesOneCommand) {
  const auto next = [](RunReport report) {
    const std::string text = balance_text(report);
    return text.substr(text.find("Next: "));
  };
  EXPECT_THAT(next(report_of({row_of(0, 1000, 1e-3, 2e-3)})), HasSubstr("quadrille wrap --off ./app"));
  EXPECT_THAT(next(report_of({row_of(0, 0, 0, 0)})), HasSubstr("quadrille wrap --tune=2% --report ./app"));
  EXPECT_THAT(next(report_of({row_of(0, 1000, 2e-3, 1e-3)})), HasSubstr("quadrille report --full"));
  RunReport idle = report_of({row_of(0, 0, 0, 0)});
  idle.share = 0.01;
  EXPECT_THAT(next(idle), HasSubstr("hardly any time in collectives"));
}

}  // namespace
}  // namespace quadrille::mpi_face

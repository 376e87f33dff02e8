// SPDX-License-Identifier: BSD-3-Clause
// Merging the counters of ranks to a report.
#include "mpi_face/report/report.hpp"

#include <gtest/gtest.h>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "support/counted_run.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

TEST_F(ReportTest, MergesTheCountersOfAllRanks) {
  for (const Rank rank : world) {
    Record record(options(rank));
    count(record, rank);
    record.end();
  }
  const std::string places[] = {place_.string()};
  const RunReport report = read_run(places);
  EXPECT_EQ(report.program, "./app");
  ASSERT_EQ(report.ranks.size(), 4u);
  EXPECT_EQ(report.missing_ranks, 0);
  ASSERT_EQ(report.communicators.size(), 1u);
  EXPECT_EQ(report.communicators[0].members, world);
  ASSERT_EQ(report.rows.size(), 2u);
  const ReportRow& alltoall = report.rows[0];
  EXPECT_EQ(alltoall.collective, "Alltoall");
  EXPECT_EQ(alltoall.calls, 11);
  EXPECT_EQ(alltoall.ours_calls, 10);
  EXPECT_EQ(alltoall.block_bytes, 11000);
  EXPECT_EQ(alltoall.rank_calls, 44);
  EXPECT_EQ(alltoall.least_block, 512);
  EXPECT_NEAR(alltoall.rank_seconds, 4 * 12e-3, 1e-3);
  ASSERT_TRUE(alltoall.vendor);
  EXPECT_NEAR(alltoall.vendor->median_s, 5e-3, 1e-4) << "the time of rank 3, the slowest";
  EXPECT_EQ(alltoall.vendor->samples, 3);
  ASSERT_TRUE(alltoall.late);
  EXPECT_NEAR(alltoall.late->median_s, 1e-3, 1e-4);
  ASSERT_EQ(alltoall.passed.size(), 1u);
  EXPECT_EQ(alltoall.passed[0].why, "no plan yet");
  EXPECT_FALSE(report.rows[1].vendor);
  EXPECT_EQ(report.traffic[0 * 4 + 1], 11000u);
  EXPECT_EQ(report.traffic[0 * 4 + 3], 11077u);
  EXPECT_EQ(report.traffic[2 * 4 + 0], 11024u) << "the root of the broadcasts";
  EXPECT_EQ(report.traffic[1 * 4 + 1], 0u);
}

}  // namespace
}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
// Merging the counters of ranks to a report.
#include "mpi_face/report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
  EXPECT_NEAR(alltoall.ours_rank_seconds, 4 * 10e-3, 1e-3);
  ASSERT_TRUE(alltoall.ratio);
  EXPECT_NEAR(alltoall.ratio->median, 0.5, 1e-3);
  EXPECT_NEAR(alltoall.ratio->vendor_s, 4e-3, 1e-4);
  EXPECT_EQ(alltoall.ratio->samples, 3);
  EXPECT_NEAR(alltoall.late_rank_seconds, alltoall.rank_seconds / 4, 1e-3);
  EXPECT_EQ(alltoall.late_samples, 1);
  ASSERT_EQ(alltoall.passed.size(), 1u);
  EXPECT_EQ(alltoall.passed[0].why, "no plan yet");
  EXPECT_FALSE(report.rows[1].ratio);
  EXPECT_EQ(report.traffic[0 * 4 + 1], 11000u);
  EXPECT_EQ(report.traffic[0 * 4 + 3], 11077u);
  EXPECT_EQ(report.traffic[2 * 4 + 0], 11024u) << "the root of the broadcasts";
  EXPECT_EQ(report.traffic[1 * 4 + 1], 0u);
  ASSERT_EQ(report.costliest.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(report.costliest[i].rank, static_cast<Rank>(i / 2));
  const double of_rank_0 = report.costliest[0].begin_s;
  EXPECT_NEAR(of_rank_0, 1e-3, 1e-4) << "rank 0 began first";
  EXPECT_GT(report.costliest[6].begin_s, of_rank_0) << "rank 3 began last";
  EXPECT_NEAR(report.costliest[1].begin_s - of_rank_0, 3e-3, 1e-4);
  EXPECT_NEAR(report.costliest[0].seconds, 2e-3, 1e-4);
  EXPECT_EQ(report.costliest[0].collective, "Alltoall");
  EXPECT_EQ(report.costliest[0].bytes, 1000);
  EXPECT_EQ(report.costliest[1].collective, "Bcast");
  EXPECT_EQ(report.costliest[1].communicator, 0);
}

TEST_F(ReportTest, ListsAtMost4096OfTheCostliestCalls) {
  std::vector<RankRecord> records;
  for (Rank rank = 0; rank < 200; ++rank) {
    RecordOptions of_many = options(rank);
    of_many.world_size = 200;
    {
      Record record(of_many);
      for (std::uint64_t i = 0; i < 40; ++i)
        record.keep_if_costly({.begin_ticks = record.header().start_ticks + i,
                               .ticks = 1000 * i + static_cast<std::uint64_t>(rank),
                               .bytes = 1000 * i + static_cast<std::uint64_t>(rank),
                               .function = 0,
                               .communicator = -1,
                               .is_ours = 1});
    }
    records.push_back(read_record(of_many.path));
  }
  const RunReport report = merged(std::move(records));
  ASSERT_EQ(report.costliest.size(), 4096u);
  Bytes least = 1'000'000;
  for (const ReportedCall& call : report.costliest) least = std::min(least, call.bytes);
  EXPECT_EQ(least / 1000, 39 - 4096 / 200) << "the shortest ones are left out";
}

}  // namespace
}  // namespace quadrille::mpi_face

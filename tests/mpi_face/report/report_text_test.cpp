// SPDX-License-Identifier: BSD-3-Clause
// The text and the JSON of a report.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <csignal>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/report.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "support/counted_run.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

TEST_F(ReportTest, PrintsTextAndJson) {
  for (const Rank rank : world) {
    Record record(options(rank));
    count(record, rank);
    if (rank != 2) record.describe_heap(rank << 20, 100, "");
    if (rank == 2) record.describe_heap(0, 0, "QUADRILLE_HEAP is off");
    record.end();
  }
  const std::string places[] = {place_.string()};
  const RunReport report = read_run(places);
  const std::string summary = text_of(report, {}), full = text_of(report, {.full = true});
  for (const char* words : {"./app: 4 ranks on 1 host", "Alltoall", "1000 B", "MPI_COMM_WORLD", "(n = 1)",
                            "10 by bruck, in trials 0.50 times as long as the MPI library's (n = 3): measured",
                            "1 by the MPI library: no plan yet", "Heap: at most 3 MiB in a rank; ranks lent 300 buffers there",
                            "Heap: no buffers of the program lie there: QUADRILLE_HEAP is off"})
    EXPECT_NE(summary.find(words), std::string::npos) << words << '\n' << summary;
  EXPECT_NE(full.find("from \\ to"), std::string::npos) << full;
  EXPECT_LT(std::count(summary.begin(), summary.end(), '\n'), 26);
  const auto json = nlohmann::json::parse(json_text_of(report));
  EXPECT_EQ(json["rows"][0]["ours_calls"], 10);
  EXPECT_EQ(json["rows"][1]["vendor"], nullptr);
  EXPECT_EQ(json["heap"]["most_bytes"], 3 << 20);
  EXPECT_EQ(json["traffic_bytes"][0][3], 11077);
  ASSERT_EQ(json["costliest_calls"].size(), 8u);
  EXPECT_EQ(json["costliest_calls"][0]["collective"], "Alltoall");
  EXPECT_EQ(json["costliest_calls"][0]["block_bytes"], 1000);
  EXPECT_EQ(json["costliest_calls"][0]["by_ours"], false);
  EXPECT_NEAR(json["costliest_calls"][0]["seconds"].get<double>(), 2e-3, 1e-4);
}

TEST_F(ReportTest, SaysWhereARankEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    Record record(options(3));
    count(record, 3);
    record.enter(0, 0, ticks());
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  Record alive(options(1));
  alive.enter(0, alive.add_communicator("MPI_COMM_WORLD", world), ticks());
  const std::string places[] = {place_.string()};
  const RunReport report = read_run(places);
  ASSERT_EQ(report.ranks.size(), 2u);
  EXPECT_EQ(report.ranks[1].state, RankState::died);
  EXPECT_EQ(report.ranks[1].function, "Alltoall");
  EXPECT_EQ(report.missing, (std::vector<Rank>{0, 2}));
  const std::string text = text_of(report, {});
  EXPECT_NE(text.find("rank 3 ended inside Alltoall on MPI_COMM_WORLD, "), std::string::npos) << text;
  EXPECT_NE(text.find("no counters of ranks 0 and 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace quadrille::mpi_face

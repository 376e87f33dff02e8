// SPDX-License-Identifier: BSD-3-Clause
// Tests of what quadrille compare reads in recordings and reports.
#include <gmock/gmock.h>

#include "support/run_files.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

class ComparedRunTest : public RunFiles {
 protected:
  static Json row_of(const Json& comparison, const std::string& function) {
    for (const Json& row : comparison["changes"])
      if (row["function"] == function) return row;
    return nullptr;
  }

  // A report of two ranks, in which an alltoall ran by ours.
  static Json report() {
    const Json rank{{"seconds", 1.0}};
    return {{"format", "quadrille-report"},
            {"program", "./app"},
            {"mpi", "Open MPI v4.1.4"},
            {"world_size", 2},
            {"hosts", {"here"}},
            {"own_rank_seconds", 0.02},
            {"ranks", {rank, rank}},
            {"communicators", {{{"name", "MPI_COMM_WORLD"}, {"ranks", 2}}}},
            {"messages", {{{"function", "Recv"}, {"rank_calls", 2}, {"rank_seconds", 0.2}}}},
            {"rows",
             {{{"collective", "Alltoall"},
               {"communicator", 0},
               {"least_block_bytes", 64},
               {"most_block_bytes", 127},
               {"calls", 100},
               {"ours_calls", 90},
               {"ranks_inside", 0},
               {"rank_calls", 200},
               {"rank_seconds", 0.8},
               {"late", {{"mean_s", 0.001}, {"samples", 50}}},
               {"what", "bruck (shared)"}}}}};
  }
};

TEST_F(ComparedRunTest, SeparatesWaitingForLateRanks) {
  const std::string a = record("a", {.late_us = {0, 100, 50}});
  const Json result = compare(a, a);
  const Json allreduce = row_of(result, "Allreduce (sum f64)"), broadcast = row_of(result, "Bcast");
  EXPECT_EQ(allreduce["block"], "64 B");
  EXPECT_EQ(allreduce["on"], "MPI_COMM_WORLD");
  EXPECT_EQ(allreduce["a"]["calls"], calls);
  EXPECT_NEAR(allreduce["a"]["usual_s"].get<double>(), 10.2e-6, 0.3e-6);
  EXPECT_NEAR(allreduce["a"]["late_s"].get<double>(), calls * 50e-6, 0.03 * calls * 50e-6);
  EXPECT_NEAR(broadcast["a"]["usual_s"].get<double>(), 20.4e-6, 0.6e-6);
  EXPECT_EQ(broadcast["a"]["late_s"], 0) << "a root need not wait, so the shortest time is not that of the collective";
  const Json& parts = result["a"]["parts"];
  EXPECT_NEAR(parts["computing"].get<double>(), calls * 80e-6, 0.02 * calls * 80e-6);
  EXPECT_NEAR(parts["waiting for late ranks"].get<double>(), allreduce["a"]["late_s"].get<double>(), 1e-12);
  double sum = 0;
  for (const auto& [name, seconds] : parts.items()) sum += seconds.get<double>();
  EXPECT_NEAR(sum, result["a"]["seconds"].get<double>(), 1e-9);
}

TEST_F(ComparedRunTest, NamesTheLibrarysAlgorithms) {
  const std::string a = record("a", {}), b = record("b", {.mpi = "Open MPI v5.0.7", .hosts = {"one", "one", "two"}});
  const Json allreduce = row_of(compare(a, b), "Allreduce (sum f64)");
  EXPECT_EQ(allreduce["a"]["algorithm"], "recursive_doubling");
  EXPECT_EQ(allreduce["b"]["algorithm"], "") << "which algorithms it takes on two nodes is not known";
  const std::string forced =
      record("forced", {.settings = {"OMPI_MCA_coll_tuned_allreduce_algorithm=4", "OMPI_MCA_coll_tuned_use_dynamic_rules=1"}});
  EXPECT_EQ(row_of(compare(a, forced), "Allreduce (sum f64)")["b"]["algorithm"], "4");
}

TEST_F(ComparedRunTest, ReadsReports) {
  const std::string a = write("a.json", report().dump());
  const Json result = compare(a, a), row = row_of(result, "Alltoall");
  EXPECT_EQ(row["block"], "64 B to 127 B");
  EXPECT_NEAR(row["a"]["late_s"].get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(row["a"]["usual_s"].get<double>(), 0.003, 1e-12);
  EXPECT_EQ(row["a"]["algorithm"], "bruck (shared) (90 %)");
  EXPECT_NEAR(result["a"]["parts"]["in point-to-point calls"].get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(result["a"]["parts"]["computing"].get<double>(), 0.49, 1e-12);
  Json bad = report();
  bad["ranks"] = Json::array();
  refuses({"compare", a, write("b.json", bad.dump()).string()}, "it has no ranks");
  bad.erase("ranks");
  refuses({"compare", a, write("b.json", bad.dump()).string()}, "key 'ranks' not found");
}

}  // namespace
}  // namespace quadrille

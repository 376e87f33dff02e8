// SPDX-License-Identifier: BSD-3-Clause
// Counters of ranks in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {

inline constexpr std::string_view functions[] = {"Alltoall", "Bcast", "Alltoallv", "Gather"};

inline const std::vector<Rank> world{0, 1, 2, 3};

class ReportTest : public testing::OwnFolder {
 protected:
  std::string path(Rank rank) const { return record_path(place_.string(), rank); }
  RecordOptions options(Rank rank) const {
    return {.path = path(rank), .world_rank = rank, .world_size = 4, .functions = functions, .run = 7, .program = "./app"};
  }
  static std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Counts 10 alltoalls of 1,000 bytes by ours and one by the vendor, and 3 broadcasts from rank 2. Rank 0 has sent 77 bytes to
  // rank 3. In trials ours took half as long; late ranks took a quarter of a call. The costliest calls are the vendor's alltoall, 1
  // ms after the start, and one of the broadcasts, 4 ms after it.
  void count(Record& record, Rank rank) const {
    const int communicator = record.add_communicator("MPI_COMM_WORLD", world);
    const auto tick = static_cast<std::uint64_t>(record.ticks_per_second() * 1e-3);
    Counters& alltoall = record.counters(0, communicator, 1000);
    for (int i = 0; i < 10; ++i) count_ours(alltoall, 1000, tick);
    count_passed(alltoall, record.reason(alltoall, "no plan yet"), 1000, 2 * tick);
    record.describe(alltoall, "bruck", "measured");
    for (std::uint64_t i = 1; i <= 3; ++i) {
      add_sample(alltoall.vendor, i * 2 * tick);
      add_sample(alltoall.ours, i * tick);
    }
    count_late(alltoall, tick, 4 * tick);
    Counters& broadcast = record.counters(1, communicator, 8);
    for (int i = 0; i < 3; ++i) {
      count_passed(broadcast, record.reason(broadcast, "rooted"), 8, tick);
      if (rank == 2) count_root(broadcast, 8);
    }
    if (rank == 0) record.traffic()[3] = 77;
    const std::uint64_t start = record.header().start_ticks;
    record.keep_if_costly(
        {.begin_ticks = start + 4 * tick, .ticks = tick, .bytes = 8, .function = 1, .communicator = communicator, .is_ours = 0});
    record.keep_if_costly(
        {.begin_ticks = start + tick, .ticks = 2 * tick, .bytes = 1000, .function = 0, .communicator = communicator, .is_ours = 0});
  }
};

}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
// Recordings and reports of a small program, as files that the command reads.
#pragma once

#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/made_recording.hpp"

namespace quadrille::testing {

// What the program does: each rank computes, waits for the last one in an allreduce, and takes part in a broadcast.
struct SmallRun {
  double allreduce_us = 10, broadcast_us = 20, computing_us = 30;
  std::vector<double> late_us{0, 0, 0};  // how much later than the first rank a rank enters the allreduce
  std::string mpi = "Open MPI v4.1.4";
  std::vector<std::string> settings;
  std::vector<std::string> hosts{"here", "here", "here"};
};

class RunFiles : public CommandTest {
 protected:
  static constexpr int calls = 40;

  // Returns the folder of a recording. Times grow slightly from call to call.
  std::string record(const std::string& name, const SmallRun& run) const {
    const auto ranks = static_cast<Count>(run.late_us.size());
    MadeRecording made(ranks);
    const auto allreduce =
        made.site({.function = "Allreduce", .type = "f64", .operation = "sum", .type_bytes = 8, .block_bytes = 64});
    const auto broadcast = made.site({.function = "Bcast", .root = 0, .block_bytes = 1024});
    const double last_us = *std::max_element(run.late_us.begin(), run.late_us.end());
    for (int call = 0; call < calls; ++call)
      for (std::size_t rank = 0; rank < run.late_us.size(); ++rank) {
        const double late_us = run.late_us[rank], more = 1 + 0.01 * (call % 5);
        made.add(static_cast<Rank>(rank), allreduce,
                 {.gap_us = run.computing_us + late_us, .duration_us = more * run.allreduce_us + last_us - late_us});
        made.add(static_cast<Rank>(rank), broadcast, {.duration_us = more * run.broadcast_us});
      }
    const fs::path folder = file(name);
    fs::create_directories(folder);
    auto contents = made.contents();
    for (std::size_t rank = 0; rank < contents.size(); ++rank) {
      contents[rank].facts.mpi = run.mpi, contents[rank].facts.settings = run.settings;
      contents[rank].facts.host = run.hosts[rank];
      MadeRecording::write(folder, contents[rank]);
    }
    return folder;
  }

  Json compare(const std::string& a, const std::string& b) const { return Json::parse(prints({"compare", a, b, "--json"})); }
};

}  // namespace quadrille::testing

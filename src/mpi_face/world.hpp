// SPDX-License-Identifier: BSD-3-Clause
// The world as far as the report needs it: the number and the file of the run, and a communicator over which the ranks send their
// counters to rank 0. The communicator is made in MPI_Init, because in MPI_Finalize ranks may be dead.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/report_folder.hpp"

namespace quadrille::mpi_face {

class World {
 public:
  static World& get();

  // Makes the communicator. Collective: call it in MPI_Init if a report is asked for. In programs that are linked with the
  // drop-in it is not called; then each machine writes a report of its own ranks.
  void begin();

  // Collective; call it after begin(). Tells all ranks whether this rank counts its calls.
  void agree(bool counts);
  // Do all ranks count their calls? Equal on all ranks.
  bool counts_everywhere() const { return counts_everywhere_; }

  // Collective; call it after begin() if ranks are to compare their calls. Tells all ranks whether this rank can do so.
  void agree_on_checks(bool checks);
  // Can all ranks compare their calls? Equal on all ranks.
  bool checks_everywhere() const { return checks_everywhere_; }

  // Collective, with the same result on all ranks. 0: a rank is not ready; 1: all are on one node; 2: on several nodes.
  static int nodes_that_are_ready(MPI_Comm ranks, bool is_ready);

  // Rank 0 tells where watchers meet. Collective; call it after begin() if the run is watched.
  void tell_meeting(WatchPage& page);
  bool is_watched() const { return is_watched_; }
  bool is_only_watched() const { return is_watched_ && !reports_; }
  bool has_begun() const { return communicator_ != MPI_COMM_NULL; }  // not in programs with sessions alone
  bool reports() const { return reports_; }

  bool is_wished() const { return reports_ || is_watched_; }  // does this rank count?
  bool has_name() const;                                      // false in a world of MPI_Comm_spawn without begin()
  std::uint64_t run() const { return run_; }
  const ReportWish& wish() const { return wish_; }

  // Sets the reason why this rank counts nothing although a report is asked for. Rank 0 prints its reason in report().
  void cannot_count(std::string why) { why_not_ = std::move(why); }

  // Call it in MPI_Finalize on all ranks. `record`: the rank's record after its end; null if it has none. Rank 0 writes the
  // report.
  void report(const Record* record, const std::string& folder);

 private:
  World();
  void name_spawned(Rank rank);

  bool reports_ = false, is_watched_ = false, counts_everywhere_ = false, checks_everywhere_ = false;
  std::uint64_t run_ = 0;
  ReportWish wish_;
  std::string why_not_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

}  // namespace quadrille::mpi_face

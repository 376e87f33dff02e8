// SPDX-License-Identifier: BSD-3-Clause
// The environment variables of the drop-in, read once per process. An invalid value is reported on stderr by
// rank 0, and ignored.
#pragma once

#include <optional>
#include <string>

#include "mpi_face/report/report_folder.hpp"
#include "recording/record_wish.hpp"

namespace quadrille::mpi_face {

struct Settings {
  bool is_off = false;          // QUADRILLE=off: the MPI library runs every call
  bool admits_at_once = false;  // QUADRILLE_ADMIT=1, for tests: Quadrille runs calls from the second one on, even if it is slower
  // QUADRILLE_ADMIT=anywhere, for tests: the same, and plans are made in any call, even if it does not synchronise.
  bool admits_anywhere = false;

  bool learns = false;  // from earlier runs, and for later ones, if there is a findings_file()

  bool only_observes = false;                   // the MPI library runs every call: QUADRILLE=profile, or QUADRILLE_RECORD
  std::optional<ReportWish> report;             // QUADRILLE_REPORT=summary|full[:FILE]
  std::optional<recording::RecordWish> record;  // QUADRILLE_RECORD=calls:FOLDER or fold:FOLDER
  std::optional<WatchWish> watch;               // QUADRILLE_WATCH: see parse_watch_wish

  [[gnu::hot]] static const Settings& get();
};

// Prints "quadrille: " and the sentence on stderr.
void remark(const std::string& sentence);

}  // namespace quadrille::mpi_face

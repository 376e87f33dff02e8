// SPDX-License-Identifier: BSD-3-Clause
// What the environment asks of the drop-in. Read once in a process; a value that makes no sense is told on stderr, and left out.
#pragma once

#include <optional>
#include <string>

#include "mpi_face/report_folder.hpp"

namespace quadrille::mpi_face {

struct Settings {
  bool is_off = false;           // QUADRILLE=off: everything is the MPI library's
  bool admits_at_once = false;   // QUADRILLE_ADMIT=1, for tests: ours from the second call on, whatever it costs
  bool admits_anywhere = false;  // QUADRILLE_ADMIT=anywhere, for tests: the same, and in calls that need not synchronise, too

  bool only_observes = false;        // QUADRILLE=profile: the same, and counted
  std::optional<ReportWish> report;  // QUADRILLE_REPORT=summary|full[:FILE]

  static const Settings& get();
};

// "quadrille: " and the sentence, on stderr.
void remark(const std::string& sentence);

}  // namespace quadrille::mpi_face

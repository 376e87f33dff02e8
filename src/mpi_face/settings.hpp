// SPDX-License-Identifier: BSD-3-Clause
// What the environment asks of the drop-in. Read once in a process; a value that makes no sense is told on stderr, and left out.
#pragma once

#include <string>

namespace quadrille::mpi_face {

struct Settings {
  enum class Report { none, summary, full };

  bool is_off = false;          // QUADRILLE=off: everything is the MPI library's, and nothing is counted
  bool only_observes = false;   // QUADRILLE=observe: everything is the MPI library's, and counted
  bool admits_at_once = false;  // QUADRILLE_ADMIT=1, for tests: ours from the second call on, whatever it costs
  Report report = Report::none;
  std::string report_file;   // empty: stderr
  std::string choose;        // QUADRILLE_CHOOSE (choose.hpp)
  bool tunes = false;        // QUADRILLE_TUNE=run
  double tune_share = 0.01;  // of the run's time, that trials may take: QUADRILLE_TUNE=run:0.02

  static const Settings& get();
};

// "quadrille: " and the sentence, on stderr.
void remark(const std::string& sentence);

}  // namespace quadrille::mpi_face

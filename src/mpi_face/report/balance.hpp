// SPDX-License-Identifier: BSD-3-Clause
// The first lines of a report: what Quadrille has won and lost in this run, what else ranks waited for, and what to do next.
#pragma once

#include <string>

#include "mpi_face/report/report.hpp"

namespace quadrille::mpi_face {

// Seconds of the run, as means over its ranks.
struct Balance {
  struct Seconds {
    double median = 0, least = 0, most = 0;  // with the interval in which the true median lies with 95 %
    Seconds& operator+=(const Seconds& more);
  };
  // By the calls that Quadrille ran and that were tried: their number times the difference of the two times of a call in trials.
  Seconds saved;           // where Quadrille took less time
  Seconds lost;            // where it took longer
  Count tried_calls = 0;   // the calls that these two count
  Count ours_calls = 0;    // all calls that Quadrille ran
  double own_s = 0;        // spent on groups, plans and trials
  double late_s = 0;       // waiting for late ranks inside collectives, as far as it was measured
  double uncovered_s = 0;  // in calls that Quadrille never runs, such as nonblocking ones
  double rare_s = 0;       // in calls that have come too rarely to be tried
  double inside_s = 0;     // in all collectives
};

Balance balance_of(const RunReport& report);

// A few lines, each ending in a newline; the last one names one command.
std::string balance_text(const RunReport& report);

}  // namespace quadrille::mpi_face

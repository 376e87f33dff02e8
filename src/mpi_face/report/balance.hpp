// SPDX-License-Identifier: BSD-3-Clause
// The first lines of a report: the time that Quadrille saved or lost in this run, what else ranks waited for, and what to do
// next.
#pragma once

#include <string>

#include "mpi_face/report/report.hpp"

namespace quadrille::mpi_face {

// Seconds of the run, as means over its ranks.
struct Balance {
  struct Range {
    double least = 0, most = 0;
    Range& operator+=(const Range& more) { return least += more.least, most += more.most, *this; }
  };
  // The time of the calls that Quadrille ran and the ratio that trials measured (MeasuredRatio) give an estimate of the MPI
  // library's time. The range follows from the ratio's interval; its lower end assumes that Quadrille and the MPI library wait
  // equally long for late ranks.
  Range saved;              // where Quadrille took less time
  Range lost;               // where it took longer
  Count tried_calls = 0;    // the calls in `saved` and `lost`
  Count unclear_calls = 0;  // calls that were tried, but the interval does not tell which is faster
  Count ours_calls = 0;     // all calls that Quadrille ran
  double own_s = 0;         // spent on groups, plans and trials
  double late_s = 0;        // waiting for late ranks inside collectives, as far as it was measured
  double uncovered_s = 0;   // in calls that Quadrille never runs, such as nonblocking ones
  double untried_s = 0;     // in calls that have come too rarely to be tried, or whose trial costs too much
  double inside_s = 0;      // in all collectives
  double messages_s = 0;    // in point-to-point and one-sided calls
};

// The report mentions point-to-point calls if they take at least this share of the run.
inline constexpr double told_share = 0.001;

Balance balance_of(const RunReport& report);

// A few lines, each ending in a newline; the last one names one command.
std::string balance_text(const RunReport& report);

}  // namespace quadrille::mpi_face

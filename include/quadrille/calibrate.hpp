// SPDX-License-Identifier: BSD-3-Clause
// Measures a machine: determines the coefficients of cost models from exchanges among the ranks of a group, placed as they are now.
//
//   Calibration calibration = calibrate(communicator);
//   std::string file = machine_text(calibration.machine, calibration.remarks());
#pragma once

#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

// A straight line, startup_s + bytes * s_per_byte, fitted to measured times.
struct LineFit {
  struct Sample {
    Bytes bytes = 0;
    double seconds = 0;
    double clock_bound_s = 0;  // bound on the error because the ranks' clocks differ; 0 if all ranks read one clock
  };
  std::string of;  // what was timed, for people
  std::vector<Sample> samples;
  double startup_s = 0, s_per_byte = 0;

  double at(Bytes bytes) const { return startup_s + static_cast<double>(bytes) * s_per_byte; }
  double error(const Sample& sample) const;  // fitted / measured - 1
  double worst_error() const;                // largest absolute error
};

// Fits the line with the least sum of squared relative errors whose coefficients are both at least 0. Sample times must be
// positive.
LineFit fit_line(std::string of, std::vector<LineFit::Sample> samples);

struct CalibrateOptions {
  Executor executor = Executor::automatic;
  double seconds = 2;  // approximate duration of the measurement
};

struct Calibration {
  MachineCosts machine;                      // has tables for those models for which there are enough ranks and nodes
  std::vector<LineFit> fits;                 // the measurements that it was computed from
  double max_rate_error = 0;                 // median of |predicted / measured - 1| over the times that max-rate was fitted to
  double copy_s_per_byte = 0;                // time per byte if all ranks copy contiguous memory at the same time
  double gather_s_per_byte = 0;              // time per byte if all ranks copy pieces of 64 bytes at the same time
  std::vector<std::string> missing;          // what could not be measured, and why
  std::vector<std::string> remarks() const;  // one line each: quality of the fit, and what is missing
};

// Collective; the same on all ranks. Throws Error{misuse} for a single rank.
//
// Start-up and time per byte come from a straight line through the times of a round of an exchange, from 8 B to 64 KiB (less for
// more than 16 ranks). The time per byte is then divided: copy = min(measured copy time, fitted time per byte); wire = fitted -
// copy. The cost of composing a message is the extra time of gathering pieces over copying contiguous memory. The contention factor
// compares the time of an uneven exchange, a permutation, with the time of its bytes if only the busiest rank mattered. With three
// ranks or more, LogGP's g and o come from how much longer a scatter and an exchange take with each further message. With two nodes
// or more, there are lines for exchanges of one rank with a rank on another node and with a rank on its own node.
Calibration calibrate(Communicator& communicator, const CalibrateOptions& options = {});

}  // namespace quadrille

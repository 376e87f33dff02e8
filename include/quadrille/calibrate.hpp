// SPDX-License-Identifier: BSD-3-Clause
// Measuring a machine: the coefficients of models, from exchanges among the ranks of a group as they are now.
//
//   Calibration calibration = calibrate(communicator);
//   std::string file = machine_text(calibration.machine, calibration.remarks());
#pragma once

#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

// A straight line, startup_s + bytes * s_per_byte, through measured times of one message each.
struct LineFit {
  struct Sample {
    Bytes bytes = 0;
    double seconds = 0;
    double clock_bound_s = 0;  // how far the comparison of the ranks' clocks may be off in it; 0 where they read the same
  };
  std::string of;  // what was timed
  std::vector<Sample> samples;
  double startup_s = 0, s_per_byte = 0;

  double at(Bytes bytes) const { return startup_s + static_cast<double>(bytes) * s_per_byte; }
  double error(const Sample& sample) const;  // fitted / measured - 1
  double worst_error() const;                // the largest, without its sign
};

// The line with the least sum of squared relative errors, neither of its numbers below 0. Samples take time.
LineFit fit_line(std::string of, std::vector<LineFit::Sample> samples);

struct CalibrateOptions {
  Executor executor = Executor::automatic;
  double seconds = 2;  // about how long it may take
};

struct Calibration {
  MachineCosts machine;                      // by the models that so many ranks, on so many nodes, are enough for
  std::vector<LineFit> fits;                 // of the exchanges that it is made from
  double max_rate_error = 0;                 // median of |predicted / measured - 1| over the times that max-rate was fitted to
  double copy_s_per_byte = 0;                // of a byte that every rank copies in one run
  double gather_s_per_byte = 0;              // of a byte that every rank copies in pieces of 64
  std::vector<std::string> missing;          // what could not be measured, and why
  std::vector<std::string> remarks() const;  // how good the fit is, and what is missing, a line each
};

// Collective; the same on all ranks. Throws Error{misuse} for a single rank.
//
// Start-up and bytes: a line through the times of a round of an exchange, from 8 B to 64 KiB. Of a byte's time as much is the
// copy's as copying takes by itself, the rest the wire's; composing costs what gathering pieces takes beyond copying. The
// contention factor says how much longer messages that meet take. From three ranks on: LogGP's g and o from how much longer a
// scatter and an exchange take with each further message. From two nodes on: lines through exchanges of one rank with one on
// another node, and with one on its own.
Calibration calibrate(Communicator& communicator, const CalibrateOptions& options = {});

}  // namespace quadrille

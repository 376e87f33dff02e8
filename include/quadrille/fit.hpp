// SPDX-License-Identifier: BSD-3-Clause
// Costs of the executors of a group, measured now or taken from a preset machine, and times predicted from them. Also the
// calibration of a machine: the coefficients of cost models.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

struct FitOptions {
  std::vector<Executor> executors;  // empty: all executors of the group
  double seconds = 1;               // approximate duration, for each executor
};

// Measures the executors. Collective; the same result on all ranks. Empty for a single rank.
std::vector<ExecutorFit> fit_executors(Communicator& communicator, const FitOptions& options = {});

// Measures the MPI library's own version of each of the collectives. Collective; the same result on all ranks. Empty without MPI,
// and leaves out collectives that the library does not have.
std::vector<VendorFit> fit_vendor(Communicator& communicator, const std::vector<Collective>& collectives, double seconds = 1);

// Returns a fit with the figures of a machine file. The file must have a table for the model max-rate. `cores` is the number of
// cores of a node; 0 means one per rank.
ExecutorFit preset_fit(const MachineCosts& machine, Executor executor, const Situation& situation, Count cores);

// Returns the price of a workload by the model max-rate. The workload must have been counted with WorkloadOptions::work.
Price price_by(const ExecutorFit& fit, const Workload& workload);

// Returns the predicted time in seconds for a block size: linear between measured sizes, constant below the smallest, proportional
// to the size above the largest.
double seconds_by(const VendorFit& fit, Bytes block_bytes);

// ---- Calibration
//
// Measures a machine: determines the coefficients of cost models from exchanges among the ranks of a group. The coefficients hold
// for ranks that are placed on nodes in the same way.
//
//   Calibration calibration = calibrate(communicator);
//   std::string file = machine_text(calibration.machine, calibration.remarks());

// A straight line, startup_s + bytes * s_per_byte, fitted to measured times.
struct LineFit {
  struct Sample {
    Bytes bytes = 0;
    double seconds = 0;
    double clock_bound_s = 0;  // largest error that differences between the ranks' clocks can cause; 0: one clock
  };
  std::string of;  // what was timed, for people
  std::vector<Sample> samples;
  double startup_s = 0, s_per_byte = 0;

  double at(Bytes bytes) const { return startup_s + static_cast<double>(bytes) * s_per_byte; }
  double error(const Sample& sample) const;  // fitted / measured - 1
  double worst_error() const;                // largest absolute error
};

// Among the lines with two coefficients of at least 0, returns the one with the least sum of squared relative errors. Sample
// times must be positive.
LineFit fit_line(std::string of, std::vector<LineFit::Sample> samples);

struct CalibrateOptions {
  Executor executor = Executor::automatic;
  double seconds = 2;     // approximate duration of the fits; with `residuals` the call takes about twice as long
  bool residuals = true;  // compare the fitted machine's prices with the times of collectives
  std::function<void(std::string_view doing)> progress = {};  // called from time to time on rank 0
};

struct Calibration {
  MachineCosts machine;                      // has tables for those models for which there are enough ranks and nodes
  std::vector<LineFit> fits;                 // the measurements from which `machine` was computed
  double max_rate_error = 0;                 // median of |predicted / measured - 1| over the times that max-rate was fitted to
  double copy_s_per_byte = 0;                // time per byte if all ranks copy contiguous memory at the same time
  double gather_s_per_byte = 0;              // time per byte if all ranks copy pieces of 64 bytes at the same time
  std::vector<std::string> missing;          // what could not be measured, and why
  std::vector<std::string> remarks() const;  // one line each: quality of the fit, and what is missing
};

// Measures the machine and returns the same result on all ranks. Collective. Throws Error{misuse} for a single rank.
//
// - Start-up and time per byte: a straight line is fitted to the times of one round of an exchange, for messages of 8 B to 64 KiB
//   (with more than 16 ranks, the longest message is shorter). The time per byte has two parts: copy = min(measured copy time,
//   fitted time per byte), and wire = fitted time per byte - copy.
// - Composing a message: the time of copying pieces minus the time of copying contiguous memory.
// - Contention factor: in a permutation each rank sends to one other rank. The factor is the time of such an exchange, divided by
//   the time that the bytes of one rank take without contention.
// - LogGP's g and o, with three ranks or more: from the time that each further message adds to a scatter and to an exchange.
// - With two nodes or more: a line for exchanges between two ranks on different nodes, and one for two ranks on the same node.
// - Residuals: the times of our choice and of the MPI library's own collective, divided by their prices by max-rate. There are two
//   sizes in each of four classes: 8 and 32 B, 512 B and 2 KiB, 16 and 64 KiB, 256 KiB and 1 MiB. Residuals of the library are
//   left out where its rules are not known, or no algorithm of ours sends the same messages. After twice `seconds`, sizes above
//   32 B are left out. If each node has consecutive ranks, the nodes' numbers of ranks are kept, too.
Calibration calibrate(Communicator& communicator, const CalibrateOptions& options = {});

}  // namespace quadrille

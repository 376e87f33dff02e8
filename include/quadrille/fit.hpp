// SPDX-License-Identifier: BSD-3-Clause
// Costs of the executors of a group, measured now or taken from a preset machine, and times predicted from them.
#pragma once

#include <string>
#include <vector>

#include "quadrille/execute.hpp"
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

// Returns a fit with the figures of a machine file, which must have a table for the model max-rate. `cores` is the number of cores
// of a node; 0 means one per rank.
ExecutorFit preset_fit(const MachineCosts& machine, Executor executor, const Situation& situation, Count cores);

// Returns the price of a workload by the model max-rate. The workload must have been counted with WorkloadOptions::work.
Price price_by(const ExecutorFit& fit, const Workload& workload);

// Returns the predicted time in seconds for a block size: linear between measured sizes, constant below the smallest, proportional
// to the size above the largest.
double seconds_by(const VendorFit& fit, Bytes block_bytes);

}  // namespace quadrille

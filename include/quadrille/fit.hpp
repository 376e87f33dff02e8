// SPDX-License-Identifier: BSD-3-Clause
// What the executors of a group take for what schedules do, measured now or taken from a preset machine, and times predicted by it.
#pragma once

#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

struct FitOptions {
  std::vector<Executor> executors;  // empty: all that the group has
  double seconds = 1;               // about how long it may take, for each executor
};

// Collective; the same on all ranks. Nothing for a single rank.
std::vector<ExecutorFit> fit_executors(Communicator& communicator, const FitOptions& options = {});

// Collective; the same on all ranks. Of the collectives that the MPI library has; none without one.
std::vector<VendorFit> fit_vendor(Communicator& communicator, const std::vector<Collective>& collectives, double seconds = 1);

// Of a machine whose file has figures for the model max-rate. `cores` of a node; 0: one for each rank.
ExecutorFit preset_fit(const MachineCosts& machine, Executor executor, const Situation& situation, Count cores);

// By the model max-rate; the workload has its work counted.
Price price_by(const ExecutorFit& fit, const Workload& workload);

// Between measured sizes a line, beyond them as many times as long.
double seconds_by(const VendorFit& fit, Bytes block_bytes);

}  // namespace quadrille

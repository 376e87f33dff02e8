// SPDX-License-Identifier: BSD-3-Clause
// The fit of the coefficients of the cost model max-rate to measured times.
#pragma once

#include <vector>

#include "quadrille/model.hpp"

namespace quadrille {

struct FitSample {
  Workload workload;  // with the work counted (WorkloadOptions::work)
  double seconds = 0;
};

struct MaxRateFit {
  Coefficients coefficients;
  double error = 0;  // median of |predicted / measured - 1|
};

// All coefficients found are at least 0. The error of a sample is the ratio of predicted to measured time, so a prediction of
// half the time is as wrong as one of twice the time. Large errors count linearly, not squared, so a disturbed sample changes
// little. The ranks of a node share `cores`; 0 means that each rank has its own core. Sample times must be positive.
MaxRateFit fit_max_rate(const std::vector<FitSample>& samples, Count cores);

// Rounds to four significant digits, which is more than the accuracy of any measurement here.
double rounded(double value);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of the model max-rate that come nearest to measured times.
#pragma once

#include <vector>

#include "quadrille/model.hpp"

namespace quadrille {

struct FitSample {
  Workload workload;  // has its work counted
  double seconds = 0;
};

struct MaxRateFit {
  Coefficients coefficients;  // complete
  double error = 0;           // median of |predicted / measured - 1|
};

// None of them is below 0. By the ratio of predicted and measured, twice as long is as wrong as half as long; a sample far off
// counts by its distance, not by the square of it, so that a disturbed one changes little. Ranks of a node share `cores`; 0: each
// has its own. Samples take time.
MaxRateFit fit_max_rate(const std::vector<FitSample>& samples, Count cores);

// To four digits, which is more than there is to know.
double rounded(double value);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Medians of few samples, and their confidence intervals.
#pragma once

#include <cstddef>
#include <vector>

#include "quadrille/race.hpp"

namespace quadrille {

double median(std::vector<double> values);  // of at least one value; of an even number the mean of the two in the middle

// Indices of two order statistics that enclose the true median with this confidence, for any distribution. They are the narrowest
// symmetric pair that reaches wanted_confidence, or the first and the last sample if no pair does.
struct MedianInterval {
  std::size_t lower = 0, upper = 0;
  double confidence = 0;
};

MedianInterval median_interval(std::size_t samples);  // for at least one sample

Spread spread_of(std::vector<double> values);

// `seconds`: the times of the repetitions of each entry. Sets to_best, best and conclusion.
void conclude(RaceResult& result, const std::vector<std::vector<double>>& seconds);

}  // namespace quadrille

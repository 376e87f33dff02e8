// SPDX-License-Identifier: BSD-3-Clause
// Medians of few samples and their confidence intervals. Comparisons by medians: of the entries of a race, and of two runs.
#pragma once

#include <cstddef>
#include <vector>

#include "quadrille/race.hpp"

namespace quadrille {

double median(std::vector<double> values);  // of at least one value; of an even number: the mean of the middle two

// Indices of two order statistics that enclose the true median with this confidence, for any distribution. They are the narrowest
// symmetric pair that reaches wanted_confidence. If no pair reaches wanted_confidence, they are the first and the last sample.
struct MedianInterval {
  std::size_t lower = 0, upper = 0;
  double confidence = 0;
};

MedianInterval median_interval(std::size_t samples);  // for at least one sample

Spread spread_of(std::vector<double> values);

// `seconds`: the times of the repetitions of each entry. Sets to_best, best and conclusion.
void conclude(RaceResult& result, const std::vector<std::vector<double>>& seconds);

// Compares two runs that share no repetitions.
struct RatioOfRuns {
  double median = 0;  // the Hodges-Lehmann estimate: median of all quotients of a time of the second run by a time of the first
  double lower = 0, upper = 0;
  double confidence = 0;  // probability that the true ratio is between `lower` and `upper`
};

// Returns the ratio of the runs' times per repetition, the second run's to the first's. All times must be positive. The
// interval is that of the Mann-Whitney test: two order statistics of the quotients. It is exact for any distribution if the two
// runs differ by a constant factor. It reaches wanted_confidence if there are enough repetitions, for example four in each run;
// with fewer it spans all quotients. If a run has more than 1000 repetitions, an even selection of them is used.
RatioOfRuns ratio_of_runs(std::vector<double> first, std::vector<double> second);

}  // namespace quadrille

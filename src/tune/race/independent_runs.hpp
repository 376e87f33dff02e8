// SPDX-License-Identifier: BSD-3-Clause
// Compares two runs that share no repetitions.
#pragma once

#include <vector>

namespace quadrille {

struct RatioOfRuns {
  double median = 0;  // the Hodges-Lehmann estimate: median of all quotients of a time of the second run by a time of the first
  double lower = 0, upper = 0;
  double confidence = 0;  // probability that the true ratio is between `lower` and `upper`
};

// Returns how many times as long as the repetitions of the first run those of the second took. All times must be positive. The
// interval is that of the Mann-Whitney test: two order statistics of the quotients. It is exact for any distribution if the two
// runs differ by a constant factor. It reaches wanted_confidence if there are enough repetitions, for example four in each run;
// with fewer it spans all quotients. If a run has more than 1000 repetitions, an even selection of them is used.
RatioOfRuns ratio_of_runs(std::vector<double> first, std::vector<double> second);

}  // namespace quadrille

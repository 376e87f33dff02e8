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

// How many times as long the repetitions of the second run took as those of the first. All times must be positive. The interval is
// that of the Mann-Whitney test: two order statistics of the quotients, exact for any distribution if the two differ by a constant
// factor. It reaches wanted_confidence if there are enough repetitions (for example four and four); with fewer it spans all
// quotients. If a run has more than 1000 repetitions, an even selection of them is used.
RatioOfRuns ratio_of_runs(std::vector<double> first, std::vector<double> second);

}  // namespace quadrille

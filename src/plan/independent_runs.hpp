// SPDX-License-Identifier: BSD-3-Clause
// Comparing two runs that have no rounds in common.
#pragma once

#include <vector>

namespace quadrille {

struct RatioOfRuns {
  double median = 0;  // Hodges and Lehmann's estimate: the median of the quotients of each of the second and each of the first
  double lower = 0, upper = 0;
  double confidence = 0;  // that the true ratio is from `lower` to `upper`
};

// How many times as long the second run's rounds took as the first's, all of them above 0. The interval is that of Mann and
// Whitney's test: two order statistics of the quotients, exact whatever the distribution, where the two differ by a factor. It
// reaches wanted_confidence where there are so many rounds (four and four, say), and is that of all quotients where there are
// fewer. Of more than 1000 rounds an even selection is taken.
RatioOfRuns ratio_of_runs(std::vector<double> first, std::vector<double> second);

}  // namespace quadrille

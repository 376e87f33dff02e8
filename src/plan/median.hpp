// SPDX-License-Identifier: BSD-3-Clause
// Medians of few samples, and how well they are known.
#pragma once

#include <cstddef>
#include <vector>

#include "quadrille/race.hpp"

namespace quadrille {

// The order statistics, counted from 0, between which the true median is with this confidence, whatever the distribution: the
// narrowest two that lie symmetrically and reach wanted_confidence; the first and the last where none do.
struct MedianInterval {
  std::size_t lower = 0, upper = 0;
  double confidence = 0;
};

MedianInterval median_interval(std::size_t samples);  // at least one

Spread spread_of(std::vector<double> values);

// `seconds` are those of each entry's rounds. Sets what tells the entries apart: to_best, best and conclusion.
void conclude(RaceResult& result, const std::vector<std::vector<double>>& seconds);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/median.hpp"

#include <algorithm>
#include <numeric>

namespace quadrille {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// The number of samples below the true median has a binomial distribution with probability 1/2. The interval follows from its
// quantiles.
MedianInterval median_interval(std::size_t samples) {
  // The probabilities of samples / 2, of one less, and so on, divided by the first; until they no longer count.
  const std::size_t half = samples / 2;
  std::vector<double> weights{1};
  for (std::size_t below = half; below > 0 && weights.back() > 1e-18; --below)
    weights.push_back(weights.back() * static_cast<double>(below) / static_cast<double>(samples - below + 1));
  // The distribution is symmetric. For an even number of samples the first weight has no counterpart.
  const double all = 2 * std::accumulate(weights.begin(), weights.end(), 0.0) - (samples % 2 == 0 ? 1 : 0);
  std::size_t less = weights.size() - 1;  // the lower end is half - less
  double outside = weights[less];
  while (less > 0 && outside + weights[less - 1] <= (1 - wanted_confidence) / 2 * all) outside += weights[--less];
  const std::size_t lower = std::min(half - less, (samples - 1) / 2);
  return {lower, samples - 1 - lower, std::max(0.0, 1 - 2 * outside / all)};
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const MedianInterval interval = median_interval(values.size());
  return {.median = median(values),
          .least = values.front(),
          .most = values.back(),
          .lower = values[interval.lower],
          .upper = values[interval.upper]};
}

void conclude(RaceResult& result, const std::vector<std::vector<double>>& seconds) {
  std::vector<RaceEntry>& entries = result.entries;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].failed_check.empty() && (!result.best || entries[i].seconds.median < entries[*result.best].seconds.median))
      result.best = i;
  if (!result.best) return;
  result.conclusion = Conclusion::fastest;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].failed_check.empty()) continue;
    std::vector<double> ratios;
    for (std::size_t repetition = 0; repetition < seconds[i].size(); ++repetition)
      ratios.push_back(seconds[i][repetition] / seconds[*result.best][repetition]);
    entries[i].to_best = spread_of(std::move(ratios));
    if (i == *result.best || entries[i].to_best->lower > 1 || result.conclusion == Conclusion::noisy) continue;
    result.conclusion = entries[i].to_best->is_wide() ? Conclusion::noisy : Conclusion::tied;
  }
  if (result.confidence < wanted_confidence) result.conclusion = Conclusion::too_few_repetitions;
}

}  // namespace quadrille

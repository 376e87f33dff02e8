// SPDX-License-Identifier: BSD-3-Clause
#include "tune/median.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

namespace quadrille {

// The number of samples below the true median has a binomial distribution with probability 1/2. The interval
// follows from its quantiles.
MedianInterval median_interval(std::size_t samples) {
  const boost::math::binomial_distribution<double> below(static_cast<double>(samples), 0.5);
  const double outside = boost::math::quantile(below, (1 - wanted_confidence) / 2);  // rounded down
  const auto lower = std::min(static_cast<std::size_t>(outside), (samples - 1) / 2);
  return {lower, samples - 1 - lower, std::max(0.0, 1 - 2 * cdf(below, static_cast<double>(lower)))};
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const MedianInterval interval = median_interval(values.size());
  const Spread ordered{
      .least = values.front(), .most = values.back(), .lower = values[interval.lower], .upper = values[interval.upper]};
  Spread spread = ordered;
  spread.median = boost::math::statistics::median(values);  // reorders its argument
  return spread;
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

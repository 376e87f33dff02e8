// SPDX-License-Identifier: BSD-3-Clause
#include "tune/median.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "foundation/assert.hpp"
#include "quadrille/race.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_repetitions = 1000;

void thin(std::vector<double>& values) {
  const std::size_t count = values.size();
  if (count <= most_repetitions) return;
  for (std::size_t i = 0; i < most_repetitions; ++i) values[i] = values[i * count / most_repetitions];
  values.resize(most_repetitions);
}

// Returns the distribution of Mann and Whitney's U for two samples of m and n values from the same distribution: the probabilities
// of U = 0, 1, ..., m n. Sort all values; the first sample then has m of the m + n positions. Counts the ways to choose m positions
// whose sum is U + m (m + 1) / 2.
std::vector<double> distribution_of_u(std::size_t m, std::size_t n) {
  // ways[k][u]: the ways to choose k of the positions seen so far such that u pairs are in the wrong order.
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(m * n + 1));
  ways[0][0] = 1;
  for (std::size_t rank = 1; rank <= m + n; ++rank)
    for (std::size_t k = std::min(m, rank); k >= 1; --k) {
      const std::size_t before = rank - k;  // positions of the other sample among those seen
      for (std::size_t u = before; before <= n && u <= m * n; ++u) ways[k][u] += ways[k - 1][u - before];
    }
  double all = 0;
  for (const double each : ways[m]) all += each;
  for (double& each : ways[m]) each /= all;
  return ways[m];
}

struct Cut {
  std::size_t count = 0;  // number of quotients outside the interval, on each side
  double confidence = 0;
};

Cut cut(std::size_t m, std::size_t n) {
  constexpr std::size_t most_exact = 50 * 50;
  if (m * n > most_exact) {
    const auto pairs = static_cast<double>(m * n);
    const double deviation = std::sqrt(pairs * static_cast<double>(m + n + 1) / 12);
    static_assert(wanted_confidence == 0.95);
    constexpr double z = 1.959963984540054;  // the normal distribution's quantile of 0.975
    return {static_cast<std::size_t>(std::max(0.0, std::floor(pairs / 2 - z * deviation - 0.5))), wanted_confidence};
  }
  const std::vector<double> probabilities = distribution_of_u(m, n);
  std::size_t count = 0;
  double outside = probabilities[0];  // probability on each side if `count` quotients are cut off on each side
  while (2 * (outside + probabilities[count + 1]) <= 1 - wanted_confidence) outside += probabilities[++count];
  return {count, std::max(0.0, 1 - 2 * outside)};
}

}  // namespace

double median(std::vector<double> values) {
  QUADRILLE_ASSERT(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// The number of samples below the true median has a binomial distribution with probability 1/2. The interval follows from its
// quantiles.
MedianInterval median_interval(std::size_t samples) {
  // The probabilities of samples / 2, samples / 2 - 1, and so on, each divided by the first of them, until they are negligible.
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
  QUADRILLE_ASSERT(samples > 0 && less <= half);
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
  QUADRILLE_ASSERT(seconds.size() == entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].failed_check.empty() && (!result.best || entries[i].seconds.median < entries[*result.best].seconds.median))
      result.best = i;
  if (!result.best) return;
  result.conclusion = Conclusion::fastest;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].failed_check.empty()) continue;
    QUADRILLE_ASSERT(seconds[i].size() == seconds[*result.best].size());
    std::vector<double> ratios;
    for (std::size_t repetition = 0; repetition < seconds[i].size(); ++repetition)
      ratios.push_back(seconds[i][repetition] / seconds[*result.best][repetition]);
    entries[i].to_best = spread_of(std::move(ratios));
    if (i == *result.best || entries[i].to_best->lower > 1 || result.conclusion == Conclusion::noisy) continue;
    result.conclusion = entries[i].to_best->is_wide() ? Conclusion::noisy : Conclusion::tied;
  }
  if (result.confidence < wanted_confidence) result.conclusion = Conclusion::too_few_repetitions;
}

RatioOfRuns ratio_of_runs(std::vector<double> first, std::vector<double> second) {
  thin(first);
  thin(second);
  std::vector<double> quotients;
  quotients.reserve(first.size() * second.size());
  for (const double one : first)
    for (const double other : second) quotients.push_back(other / one);
  std::sort(quotients.begin(), quotients.end());
  const Cut outside = cut(first.size(), second.size());
  QUADRILLE_ASSERT(2 * outside.count < quotients.size());
  RatioOfRuns ratio{.lower = quotients[outside.count],
                    .upper = quotients[quotients.size() - 1 - outside.count],
                    .confidence = outside.confidence};
  ratio.median = median(quotients);
  return ratio;
}

}  // namespace quadrille

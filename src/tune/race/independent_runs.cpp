// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/independent_runs.hpp"

#include <algorithm>
#include <cmath>

#include "quadrille/race.hpp"
#include "tune/median.hpp"

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
  double outside = probabilities[0];  // probability on each side if `count` quotients are cut off there
  while (2 * (outside + probabilities[count + 1]) <= 1 - wanted_confidence) outside += probabilities[++count];
  return {count, std::max(0.0, 1 - 2 * outside)};
}

}  // namespace

RatioOfRuns ratio_of_runs(std::vector<double> first, std::vector<double> second) {
  thin(first);
  thin(second);
  std::vector<double> quotients;
  quotients.reserve(first.size() * second.size());
  for (const double one : first)
    for (const double other : second) quotients.push_back(other / one);
  std::sort(quotients.begin(), quotients.end());
  const Cut outside = cut(first.size(), second.size());
  RatioOfRuns ratio{.lower = quotients[outside.count],
                    .upper = quotients[quotients.size() - 1 - outside.count],
                    .confidence = outside.confidence};
  ratio.median = median(quotients);
  return ratio;
}

}  // namespace quadrille

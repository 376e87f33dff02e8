// SPDX-License-Identifier: BSD-3-Clause
// Computes the situation of a problem (wisdom.hpp).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {
namespace {

// Rounds the quotient to the nearest power of two on a logarithmic scale. Both numbers are positive, and the quotient is at least
// 1.
Count rounded_to_power_of_two(double dividend, double divisor) {
  static constexpr double root_of_half = 0.70710678118654752;
  int exponent = 0;
  const double fraction = std::frexp(dividend / divisor, &exponent);  // from 1/2 to 1
  return Count{1} << std::max(0, fraction < root_of_half ? exponent - 1 : exponent);
}

// The amount of data of an irregular collective: in total, on the busiest rank, and in the longest block; and the numbers of all
// blocks and of non-empty blocks.
struct Load {
  Bytes total = 0, heaviest = 0, longest = 0;
  Count blocks = 0, filled = 0;
};

Load load_of(const Problem& problem) {
  Load load;
  if (has_pair_counts(problem.collective)) {
    const Traffic traffic(problem);
    load.heaviest = traffic.heaviest(), load.longest = traffic.longest();
    load.blocks = problem.ranks * problem.ranks;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      load.total += traffic.sent_bytes(rank);
      load.filled += size(traffic.sent_by(rank));
    }
    return load;
  }
  const std::vector<Bytes>& counts = *problem.counts;
  load.total = std::accumulate(counts.begin(), counts.end(), Bytes{0});
  load.heaviest = load.longest = *std::max_element(counts.begin(), counts.end());
  load.blocks = problem.ranks;
  load.filled = std::count_if(counts.begin(), counts.end(), [](Bytes count) { return count > 0; });
  return load;
}

}  // namespace

double irregularity(const Problem& problem) {
  const Load load = load_of(problem);
  return load.total == 0 ? 1
                         : static_cast<double>(load.longest) * static_cast<double>(load.filled) / static_cast<double>(load.total);
}

Situation situation_of(const Problem& problem) {
  Situation situation{.collective = problem.collective, .ranks = problem.ranks, .ranks_of_node = problem.ranks};
  if (!problem.nodes.empty()) {
    std::vector<Count> nodes = problem.nodes;
    std::sort(nodes.begin(), nodes.end());
    situation.nodes = situation.ranks_of_node = 0;
    for (auto begin = nodes.begin(); begin != nodes.end(); ++situation.nodes) {
      const auto end = std::upper_bound(begin, nodes.end(), *begin);
      situation.ranks_of_node = std::max<Count>(situation.ranks_of_node, end - begin);
      begin = end;
    }
  }
  if (is_reduction(problem.collective)) situation.combining = required_combining(problem);
  if (has_blocks(problem.collective)) situation.block_bytes = problem.block_bytes;
  if (!is_irregular(problem.collective)) return situation;
  const Load load = load_of(problem);
  if (load.total == 0) return situation;
  situation.block_bytes = ceil_divide(load.total, load.blocks);
  situation.skew = rounded_to_power_of_two(static_cast<double>(load.heaviest) * static_cast<double>(problem.ranks),
                                           static_cast<double>(load.total));
  situation.sparsity = rounded_to_power_of_two(static_cast<double>(load.blocks), static_cast<double>(load.filled));
  situation.irregularity = rounded_to_power_of_two(static_cast<double>(load.longest) * static_cast<double>(load.filled),
                                                   static_cast<double>(load.total));
  return situation;
}

}  // namespace quadrille

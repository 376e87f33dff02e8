// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/pricing_time.hpp"

namespace quadrille {
namespace {

// If each program follows from all counts, pricing takes time for each pair of ranks.
Rank most_ranks_without_symmetry(const Algorithm& algorithm, bool explains) {
  if (!explains) return 128;
  return algorithm.collective == Collective::alltoallv && !algorithm.needs_own_counts_only ? 256 : 1024;
}

}  // namespace

bool takes_too_long(const Problem& problem, const Choice& choice, bool explains) {
  const Algorithm& algorithm = *choice.algorithm;
  if (problem.ranks <= most_ranks_without_symmetry(algorithm, explains)) return false;
  return !algorithm.symmetry || !algorithm.symmetry(problem, choice.parameters);
}

}  // namespace quadrille

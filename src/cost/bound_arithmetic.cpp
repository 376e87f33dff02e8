// SPDX-License-Identifier: BSD-3-Clause
#include "cost/bound_arithmetic.hpp"

#include <algorithm>

#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

Count rounds_to_reach(Count parties, Count k) {
  Count rounds = 0;
  for (WideCount reached = 1; reached < parties; reached *= k + 1) ++rounds;
  return rounds;
}

Bytes quotient(WideCount dividend, WideCount divisor) { return static_cast<Bytes>((dividend + divisor - 1) / divisor); }

bool has_nothing_to_move(const Problem& problem) {
  if (problem.ranks == 1) return true;
  if (has_pair_counts(problem.collective)) return Traffic(problem).longest() == 0;
  if (is_irregular(problem.collective))
    return std::all_of(problem.counts->begin(), problem.counts->end(), [](Bytes share) { return share == 0; });
  return problem.block_bytes == 0 && has_blocks(problem.collective);
}

}  // namespace quadrille

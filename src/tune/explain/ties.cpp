// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/ties.hpp"

#include "collectives/table.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

bool runs_baseline(const Problem& problem, const Way& way) {
  const Algorithm* const algorithm = find_algorithm(problem.collective, way.algorithm.substr(0, way.algorithm.find(':')));
  return algorithm && is_baseline(*algorithm);
}

std::vector<const Considered*> tied_with_chosen(const Problem& problem, const Decision& decision) {
  std::vector<const Considered*> tied;
  if (decision.considered.empty() || decision.considered[0].measured || !decision.considered[0].predicted_s) return tied;
  for (const Considered& each : decision.considered)
    if (each.way != decision.chosen && each.predicted_s && is_tied(decision, *each.predicted_s) &&
        !runs_baseline(problem, each.way))
      tied.push_back(&each);
  return tied;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Prices by a fit, and fits that are taken from a preset machine (fit.hpp).
#include "quadrille/fit.hpp"

#include "quadrille/checked.hpp"

namespace quadrille {
namespace {

const Model& fit_price_model() { return *find_model("max-rate"); }

// Returns the additional time of a round if a node has more ranks than cores. The round cannot end before each rank has run, so it
// takes as many context switches as a core has ranks. Machine files have no such cost, because they do not know the number of ranks
// per core. A switch between two processes that yield takes about 1 us.
double crowded_round_us(Count ranks_of_node, Count cores) {
  constexpr double switch_us = 1;
  return ranks_of_node > cores ? switch_us * static_cast<double>(ceil_divide(ranks_of_node, cores)) : 0;
}

}  // namespace

ExecutorFit preset_fit(const MachineCosts& machine, Executor executor, const Situation& situation, Count cores) {
  ExecutorFit fit{.executor = executor,
                  .ranks = situation.ranks,
                  .nodes = situation.nodes,
                  .ranks_of_node = situation.ranks_of_node,
                  .coefficients = coefficients_of(machine, fit_price_model()),
                  .preset = machine.name,
                  .date = {}};
  if (cores > 0) {
    fit.coefficients["cores"] = static_cast<double>(cores);
    fit.coefficients["round_us"] += crowded_round_us(situation.ranks_of_node, cores);
  }
  return fit;
}

Price price_by(const ExecutorFit& fit, const Workload& workload) { return price_of(workload, fit_price_model(), fit.coefficients); }

}  // namespace quadrille

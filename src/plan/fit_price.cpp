// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/fit.hpp"

namespace quadrille {
namespace {

const Model& model() { return *find_model("max-rate"); }

}  // namespace

ExecutorFit preset_fit(const MachineCosts& machine, Executor executor, const Situation& situation, Count cores) {
  ExecutorFit fit{.executor = executor,
                  .ranks = situation.ranks,
                  .nodes = situation.nodes,
                  .ranks_of_node = situation.ranks_of_node,
                  .coefficients = coefficients_of(machine, model()),
                  .preset = machine.name,
                  .date = {}};
  if (cores > 0) fit.coefficients["cores"] = static_cast<double>(cores);
  return fit;
}

Price price_by(const ExecutorFit& fit, const Workload& workload) { return price_of(workload, model(), fit.coefficients); }

}  // namespace quadrille

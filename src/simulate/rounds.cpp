// SPDX-License-Identifier: BSD-3-Clause
// The round-synchronous simulator. The model's formula gives the time of a round, and prices use the same formula.
#include "foundation/assert.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille {

Simulation simulate_rounds(const Schedule& schedule, const Model& model, const Coefficients& coefficients,
                           const WorkloadOptions& options) {
  WorkloadOptions counted = options;
  counted.chains = counted.chains || model.prices_windows;
  const Workload work = workload(schedule, counted);
  const Price price = price_of(work, model, coefficients);
  QUADRILLE_ASSERT(price.stages.size() == work.stages.size());
  Simulation simulation;
  for (std::size_t i = 0; i < work.stages.size(); ++i) {
    SimulatedStage& stage = simulation.stages.emplace_back();
    stage.name = work.stages[i].name;
    stage.begin = simulation.end;
    simulation.end += price.stages[i].before;
    QUADRILLE_ASSERT(price.stages[i].rounds.size() <= work.stages[i].rounds.size());
    for (std::size_t r = 0; r < price.stages[i].rounds.size(); ++r) {
      const RoundFigures& figures = work.stages[i].rounds[r];
      QUADRILLE_ASSERT(price.stages[i].rounds[r].number == figures.number && price.stages[i].rounds[r].time >= 0);
      const Picoseconds begin = simulation.end;
      simulation.end += price.stages[i].rounds[r].time;
      stage.rounds.push_back({figures.number, begin, simulation.end, figures.sharing, figures.link_bytes, figures.busiest_link});
    }
    stage.end = simulation.end;
  }
  QUADRILLE_ASSERT(simulation.end == price.blocking);
  return simulation;
}

Simulation simulate_rounds(const Schedule& schedule, const Model& model, const MachineCosts& machine,
                           const WorkloadOptions& options) {
  return simulate_rounds(schedule, model, coefficients_of(machine, model), options);
}

}  // namespace quadrille

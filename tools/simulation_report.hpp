// SPDX-License-Identifier: BSD-3-Clause
// Simulations for people and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "json.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::command {

struct Simulated {
  std::string name, full_name;
  Policy policy = Policy::blocking;  // by events
  Simulation simulation;
  // By events.
  Count messages = 0;
  Picoseconds first_end = 0;  // when the first rank is through
};

struct SimulationList {
  Problem problem;
  std::vector<Simulated> candidates;  // the soonest first
  std::vector<LeftOut> left_out;
};

struct SimulationSetting {
  const Model* model = nullptr;
  MachineCosts machine;
  std::optional<Topology> topology;
  bool by_events = false;
  EventOptions events;
};

std::string text_of(const std::vector<SimulationList>& lists, const SimulationSetting& setting);
Json json_of(const SimulationList& list, const SimulationSetting& setting);

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
// Reports of simulations, as text or as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/cases.hpp"
#include "quadrille/simulate.hpp"
#include "support/json.hpp"

namespace quadrille::command {

struct Simulated {
  std::string name, specification;
  Policy policy = Policy::blocking;  // used with --by events
  Simulation simulation;
  // Only with --by events:
  Count messages = 0;
  Picoseconds first_end = 0;  // when the first rank finishes
  Count link_waits = 0;       // with a topology: how often a message has waited at a link
};

struct SimulationList {
  Problem problem;
  std::vector<Simulated> candidates;  // the fastest first
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;  // what is known of MPI libraries' choices, each with the candidate's name
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

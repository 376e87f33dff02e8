// SPDX-License-Identifier: BSD-3-Clause
// The options of simulations by events. `simulate` and `trace` share them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/parser.hpp"
#include "quadrille/result.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::command {

struct EventArguments {
  std::vector<std::string> policies;
  std::optional<std::string> seed, late, slow_links, jitter, switching;
  bool barriers = false;

  void add_to(CLI::App& parser);  // to the group begun last
  bool given() const;
  std::vector<Policy> policy_list() const;  // blocking where --policy is not given
  EventOptions options() const;             // without policy and network
};

// Returns why the model cannot simulate events, on a network if `has_links`.
Result<> simulates_events(const Model& model, const MachineCosts& machine, bool has_links);

}  // namespace quadrille::command

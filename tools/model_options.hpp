// SPDX-License-Identifier: BSD-3-Clause
// The options that say by which model and for which machine times are predicted; the same for `price` and `simulate`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parser.hpp"
#include "quadrille/model.hpp"

namespace quadrille::command {

struct ModelOptions {
  std::optional<std::string> machine, model;

  void add_to(CLI::App& parser);
  MachineCosts machine_costs() const;  // of the machine that is named; refuses where none is

  // The model that was asked for, or the first that the machine's file has figures for, that what is known of the problem suffices
  // for, and that `suits`. Says so if ranks are on several nodes and the model ignores that.
  using Suits = std::function<Result<>(const Model&)>;
  const Model& choose(
      const MachineCosts& costs, const Problem& problem, bool has_links,
      const Suits& suits = [](const Model&) { return Result<>(); }) const;
};

// The machine and the model in two paragraphs.
std::string model_text(const Model& model, const MachineCosts& machine);

// The model's figures that are assumed, each with its rule.
const Assumptions& assumptions_of(const Model& model, const MachineCosts& machine);

// The same, a line each; nothing where there are none.
std::string assumptions_text(const Model& model, const MachineCosts& machine);

}  // namespace quadrille::command

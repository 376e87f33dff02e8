// SPDX-License-Identifier: BSD-3-Clause
// The options by which times are predicted: --machine and --model, and those of simulations by events. Several subcommands share
// them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/option_table.hpp"
#include "quadrille/model_choice.hpp"
#include "quadrille/result.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::command {

// The options --machine and --model, which `price` and `simulate` share.
struct ModelOptions {
  std::optional<std::string> machine, model;

  void add_to(OptionTable& table);
  MachineCosts machine_costs() const;  // the figures of --machine; refuses if the option is missing

  // Returns the model of --model, without a reason. Without the option, returns the choice of `choose_model`. Prints a remark if
  // ranks are on several nodes and the model ignores that.
  using Suits = std::function<Result<>(const Model&)>;
  ModelChoice choose(
      const MachineCosts& costs, const Problem& problem, bool has_links,
      const Suits& suits = [](const Model&) { return Result<>(); }) const;
};

// Tells where a model places the ranks of problems (place_text): once if the place is the same for all problems, otherwise beside
// each problem.
class Places {
 public:
  Places(const Model& model, std::span<const Problem* const> problems);
  const std::string& common() const { return common_; }  // ", one node"; empty if the problems differ
  std::string beside(const Problem& problem) const;      // ", one node"; empty if all problems have the same place

 private:
  const Model& model_;
  std::string common_;
};

// Returns a description of the machine and the model in two paragraphs. The first begins with the machine's name and the place.
std::string model_text(const Model& model, const MachineCosts& machine, const Places& places);

// Returns the model's figures that are assumed because none was published, each with the rule it follows.
const Assumptions& assumptions_of(const Model& model, const MachineCosts& machine);

// Returns the assumptions as text, one line each; empty if nothing is assumed.
std::string assumptions_text(const Model& model, const MachineCosts& machine);

// The options of simulations by events. `simulate` and `trace` share them.
struct EventArguments {
  std::vector<std::string> policies;
  std::optional<std::string> seed, late, slow_links, jitter, switching;
  bool barriers = false;

  void add_to(OptionTable& table);
  bool given() const;
  std::vector<Policy> policy_list() const;  // blocking where --policy is not given
  EventOptions options() const;             // the options but policy and network
};

// Returns why the model cannot simulate events, on a network if `has_links`.
Result<> simulates_events(const Model& model, const MachineCosts& machine, bool has_links);

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
// The options --machine and --model, by which times are predicted. `price` and `simulate` share them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/parser.hpp"
#include "quadrille/model_choice.hpp"

namespace quadrille::command {

struct ModelOptions {
  std::optional<std::string> machine, model;

  void add_to(CLI::App& parser);
  MachineCosts machine_costs() const;  // of --machine; refuses if it is missing

  // Returns the model of --model, without a reason. Without the option, returns the choice of `choose_model`. Prints a remark if
  // ranks are on several nodes and the model ignores that.
  using Suits = std::function<Result<>(const Model&)>;
  ModelChoice choose(
      const MachineCosts& costs, const Problem& problem, bool has_links,
      const Suits& suits = [](const Model&) { return Result<>(); }) const;
};

// Where a model has the ranks of problems (place_text): said once if it is the same for all, otherwise beside each problem.
class Places {
 public:
  Places(const Model& model, std::span<const Problem* const> problems);
  const std::string& common() const { return common_; }  // ", one node"; empty if the problems differ
  std::string beside(const Problem& problem) const;      // ", one node"; empty unless they differ

 private:
  const Model& model_;
  std::string common_;
};

// Returns a description of the machine and the model in two paragraphs. The first begins with the machine's name and the place.
std::string model_text(const Model& model, const MachineCosts& machine, const Places& places);

// Returns the model's figures that are assumed because none was published, each with the rule it follows.
const Assumptions& assumptions_of(const Model& model, const MachineCosts& machine);

// Returns the same as text, one line each; empty if nothing is assumed.
std::string assumptions_text(const Model& model, const MachineCosts& machine);

}  // namespace quadrille::command

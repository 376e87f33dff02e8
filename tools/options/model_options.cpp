// SPDX-License-Identifier: BSD-3-Clause
#include "options/model_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "support/talk.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model* model : all_models()) names.emplace_back(model->id);
  return names;
}

const Model& named_model(const std::string& name) {
  const Model* model = find_model(name);
  if (!model) refuse_unknown("model", name, model_names());
  return *model;
}

// Returns a sentence saying that the chosen model ignores nodes. It names the models that count them, or says why none can be used.
std::string nodes_are_ignored(const Model& chosen, const MachineCosts& costs, const ModelOptions::Suits& suits) {
  std::string able, unable;
  for (const Model* model : all_models()) {
    if (!counts_nodes(*model)) continue;
    if (const auto suited = suits(*model); !suited)
      unable += fmt::format("; {} does, but {}", model->id, suited.error());
    else if (costs.models.contains(model->id))
      able += fmt::format("; --model {} does", model->id);
    else
      unable += fmt::format("; {} does, but the machine {} has no figures for it", model->id, costs.name);
  }
  return fmt::format("nodes are ignored: the model {} does not count them{}", chosen.id, able.empty() ? unable : able);
}

}  // namespace

void ModelOptions::add_to(CLI::App& parser) {
  begin_group(parser, group::machine);
  add_option(parser, "--machine", machine,
             fmt::format("the machine: {}, or the path of another machine file; 'quadrille calibrate' makes this-machine",
                         fmt::join(machine_names(), ", ")),
             "NAME|FILE");
  add_option(parser, "--model", model,
             fmt::format("the model: {} (default: the first of these for which the machine has figures and the options describe "
                         "enough of the problem)",
                         fmt::join(model_names(), ", ")),
             "MODEL");
}

MachineCosts ModelOptions::machine_costs() const {
  if (!machine)
    refuse(fmt::format("name a machine: --machine sp2; there are: {}, or your own file", fmt::join(machine_names(), ", ")));
  return find_machine(*machine);
}

ModelChoice ModelOptions::choose(const MachineCosts& costs, const Problem& problem, bool has_links, const Suits& suits) const {
  PricingFacts facts = pricing_facts(problem);
  facts.has_links = has_links;
  ModelChoice choice;
  if (model) {
    choice.model = &named_model(*model);
  } else if (auto chosen = choose_model(costs, facts, suits)) {
    choice = *std::move(chosen);
  } else {
    refuse(chosen.error());
  }
  coefficients_of(costs, *choice.model);  // throws if the machine has no coefficients for this model
  if (facts.has_nodes && !counts_nodes(*choice.model)) remark(nodes_are_ignored(*choice.model, costs, suits));
  return choice;
}

Places::Places(const Model& model, std::span<const Problem* const> problems) : model_(model) {
  const std::string first = place_text(model, *problems.front());
  const auto is_there = [&](const Problem* problem) { return place_text(model, *problem) == first; };
  if (std::all_of(problems.begin(), problems.end(), is_there)) common_ = ", " + first;
}

std::string Places::beside(const Problem& problem) const { return common_.empty() ? ", " + place_text(model_, problem) : ""; }

std::string model_text(const Model& model, const MachineCosts& machine, const Places& places) {
  const Coefficients& coefficients = coefficients_of(machine, model);
  std::vector<std::string> values;
  for (const Coefficient& coefficient : model.coefficients)
    if (const auto value = coefficients.find(coefficient.key); value != coefficients.end())
      values.push_back(fmt::format("{} {:.4g}", coefficient.key, value->second));
  const auto lines = [](const std::string& text) { return wrapped(text, terminal_width(), 2) + '\n'; };
  return lines(fmt::format("{}{}: {} [{}]", machine.name, places.common(), machine.description, machine.source)) +
         lines(fmt::format("{}: {} [{}]; {}", model.id, model.formula, model.source, fmt::join(values, ", ")));
}

const Assumptions& assumptions_of(const Model& model, const MachineCosts& machine) {
  static const Assumptions none;
  const auto rules = machine.assumed.find(model.id);
  return rules == machine.assumed.end() ? none : rules->second;
}

std::string assumptions_text(const Model& model, const MachineCosts& machine) {
  const Assumptions& rules = assumptions_of(model, machine);
  if (rules.empty()) return "";
  std::string text = "Assumed, because no published figure was found:\n";
  for (const Coefficient& coefficient : model.coefficients)
    if (const auto rule = rules.find(coefficient.key); rule != rules.end())
      text += wrapped(fmt::format("  {}: {}", coefficient.key, rule->second), terminal_width(), 4) + '\n';
  return text;
}

}  // namespace quadrille::command

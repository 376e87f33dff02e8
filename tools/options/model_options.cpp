// SPDX-License-Identifier: BSD-3-Clause
#include "options/model_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

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

// Returns the first model that the machine has figures for and that suits the problem. Models that count the work of nodes are
// skipped if the problem names no nodes, because all ranks would be on one node.
const Model& first_model(const MachineCosts& costs, const Workload& facts, const ModelOptions::Suits& suits) {
  Workload known = facts;
  std::string need;
  for (const bool has_work : {known.has_nodes, true}) {
    known.has_work = has_work;
    for (const Model* model : all_models()) {
      if (!costs.models.contains(model->id)) continue;
      const Result<> suited = suits(*model), applied = suited ? applies(*model, known) : suited;
      if (applied) return *model;
      if (need.empty()) need = applied.error();
    }
  }
  refuse(fmt::format("the machine {} has no figures for a model that applies: {}", costs.name, need));
}

bool counts_nodes(const Model& model) { return model.needs_nodes || model.needs_work; }

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

const Model& ModelOptions::choose(const MachineCosts& costs, const Problem& problem, bool has_links, const Suits& suits) const {
  const bool has_nodes = std::set(problem.nodes.begin(), problem.nodes.end()).size() > 1;
  const Workload known{.has_links = has_links, .has_nodes = has_nodes, .is_exchange = is_exchange(problem.collective)};
  const Model& chosen = model ? named_model(*model) : first_model(costs, known, suits);
  coefficients_of(costs, chosen);  // throws if the machine has no coefficients for this model
  if (has_nodes && !counts_nodes(chosen)) remark(nodes_are_ignored(chosen, costs, suits));
  return chosen;
}

std::string model_text(const Model& model, const MachineCosts& machine) {
  const Coefficients& coefficients = coefficients_of(machine, model);
  std::vector<std::string> values;
  for (const Coefficient& coefficient : model.coefficients)
    if (const auto value = coefficients.find(coefficient.key); value != coefficients.end())
      values.push_back(fmt::format("{} {:.4g}", coefficient.key, value->second));
  const auto lines = [](const std::string& text) { return wrapped(text, terminal_width(), 2) + '\n'; };
  return lines(fmt::format("{}: {} [{}]", machine.name, machine.description, machine.source)) +
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

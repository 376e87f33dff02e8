// SPDX-License-Identifier: BSD-3-Clause
#include "model_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arguments.hpp"
#include "text.hpp"

namespace quadrille::command {
namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model* model : all_models()) names.emplace_back(model->id);
  return names;
}

}  // namespace

void ModelOptions::add_to(CLI::App& parser) {
  parser
      .add_option("--machine", machine,
                  fmt::format("the machine: {}, or a file like theirs; 'quadrille calibrate' makes this-machine",
                              fmt::join(machine_names(), ", ")))
      ->type_name("NAME|FILE");
  parser
      .add_option("--model", model,
                  fmt::format("the model: {} (default: the first of these that the machine's file has figures for, and that what "
                              "was said of the problem suffices for)",
                              fmt::join(model_names(), ", ")))
      ->type_name("MODEL");
}

MachineCosts ModelOptions::machine_costs() const {
  if (!machine)
    refuse(fmt::format("name a machine: --machine sp2; there are: {}, or your own file", fmt::join(machine_names(), ", ")));
  return find_machine(*machine);
}

const Model& ModelOptions::choose(const MachineCosts& costs, const ReasonAgainst& reason_against) const {
  if (model) {
    const Model* named = find_model(*model);
    if (!named) refuse_unknown("model", *model, model_names());
    return *named;
  }
  std::string need;
  for (const Model* each : all_models()) {
    if (!costs.models.contains(each->id)) continue;
    const auto reason = reason_against(*each);
    if (!reason) return *each;
    if (need.empty()) need = *reason;
  }
  refuse(fmt::format("the machine {}: {}", costs.name, need));
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

}  // namespace quadrille::command
